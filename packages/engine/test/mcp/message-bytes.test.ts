import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MessageBytes } from '../../src/mcp/message-bytes.ts'

const pieces = fc.array(fc.uint8Array({ maxLength: 5 }), { maxLength: 6 })

describe('the bytes of a message', () => {
  it('are the same however they came, and so is any part of them', () => {
    fc.assert(
      fc.property(pieces, fc.nat(40), fc.nat(40), (parts, from, to) => {
        const whole = Buffer.concat(parts)
        const message = new MessageBytes(parts.map((part) => Buffer.from(part)))
        expect(message.length).toBe(whole.length)
        expect(message.toString()).toBe(whole.toString())
        expect(Buffer.concat(message.slice(from, to).parts)).toEqual(Buffer.from(whole.subarray(from, to)))
        expect(message.start(from)).toBe(whole.subarray(0, from).toString())
      }),
    )
  })
})
