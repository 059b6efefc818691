import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineSplitter, LineTooLong } from '../../src/mcp/line-splitter.ts'

/** Cuts bytes into chunks at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length))
}

describe('LineSplitter', () => {
  it('gives the same lines however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'é', '\n', '🦆') }),
        fc.array(fc.nat()),
        (text, places) => {
          const splitter = new LineSplitter(1000)
          const lines = cut(Buffer.from(text), places).flatMap((chunk) => [...splitter.push(chunk)])
          expect([...lines, splitter.rest()].map(String)).toEqual(text.split('\n'))
        },
      ),
    )
  })

  it('refuses a line that is too long as soon as it is', () => {
    const splitter = new LineSplitter(10)
    expect([...splitter.push(Buffer.from('0123456789\n01234'))].map(String)).toEqual(['0123456789'])
    expect([...splitter.push(Buffer.from('56789'))]).toEqual([])
    expect(() => [...splitter.push(Buffer.from('!'))]).toThrow(LineTooLong)
  })
})
