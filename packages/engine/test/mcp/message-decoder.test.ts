import { describe, expect, it } from 'vitest'
import { decodeMessages } from '../../src/mcp/message-decoder.ts'
import type { WireAnswer } from '../../src/mcp/wire-message.ts'

/** Decodes a text of which the answer to request 7 is wanted. */
function decode(text: string) {
  const kept: WireAnswer[] = []
  const decoded = decodeMessages(text, text.length, 7, (answer) => {
    kept.push(answer)
    return { handle: kept.length, isError: false, links: [], error: null }
  })
  return { decoded, kept }
}

describe('decodeMessages', () => {
  it.each([7, '7'])(
    'keeps the answer that is wanted (id %j), and passes on the rest of its message',
    (id) => {
      const text = JSON.stringify({ id, result: { content: ['rows'] } })
      const { decoded, kept } = decode(text)
      expect(kept).toMatchObject([{ result: { content: ['rows'] }, text }])
      expect(decoded).toEqual({
        kind: 'messages',
        messages: [
          {
            message: { jsonrpc: '2.0', id, result: {} },
            answer: {
              ...{ result: {}, text: '', index: null, bytes: text.length },
              held: { handle: 1, isError: false, links: [], error: null },
            },
          },
        ],
      })
    },
  )

  it.each<[string, object, object]>([
    ['an answer that nobody wants', { id: 8, result: { a: 1 } }, { id: 8, result: {} }],
    ['an error', { id: 7, error: { code: 1, message: 'm' } }, { id: 7, error: { code: 1, message: 'm' } }],
    ['a notification', { method: 'm', params: { a: 1 } }, { method: 'm', params: { a: 1 } }],
  ])('keeps nothing of %s', (_, sent, message) => {
    const { decoded, kept } = decode(JSON.stringify(sent))
    expect(kept).toEqual([])
    expect(decoded).toMatchObject({ messages: [{ message, answer: null }] })
  })

  it('passes on a result that asks for input as it came: the SDK must judge it', () => {
    const result = { resultType: 'input_required', inputRequests: {} }
    const { decoded, kept } = decode(JSON.stringify({ id: 7, result }))
    expect(kept).toEqual([])
    expect(decoded).toMatchObject({ messages: [{ message: { result }, answer: { result, held: null } }] })
  })

  it('finds the answer in a batch', () => {
    const { kept } = decode(JSON.stringify([{ method: 'm' }, { id: 7, result: { a: 1 } }]))
    expect(kept).toMatchObject([{ result: { a: 1 }, index: 1 }])
  })

  it('says how a text begins that is no JSON', () => {
    const { decoded } = decode(`<html>${'x'.repeat(10_000)}`)
    expect(decoded).toMatchObject({ kind: 'unreadable', start: expect.stringMatching(/^<html>x{4090}$/) })
  })
})
