import fc from 'fast-check'
import { expect, it } from 'vitest'
import { StderrTail } from '../../src/mcp/stderr-tail.ts'

it('keeps exactly the last bytes, whatever the sizes of the chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 40 })), (chunks) => {
      const tail = new StderrTail(50)
      for (const chunk of chunks) tail.push(Buffer.from(chunk))
      expect(tail.text()).toBe(chunks.join('').slice(-50))
    }),
  )
})
