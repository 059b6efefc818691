import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventStreamReader } from '../../src/mcp/event-stream-reader.ts'

function read(...chunks: (string | Buffer)[]) {
  const reader = new EventStreamReader(1000)
  const events = chunks.flatMap((chunk) => [...reader.push(Buffer.from(chunk))])
  return [...events, ...reader.end()].map(({ type, data }) => [type, data.toString()])
}

describe('EventStreamReader', () => {
  it.each<[string, string, [string, string][]]>([
    ['an event', 'event: message\ndata: {"a":1}\n\n', [['message', '{"a":1}']]],
    ['an event without a type', 'data: x\n\n', [['message', 'x']]],
    ['an event without a blank', 'event:endpoint\ndata:/m\n\n', [['endpoint', '/m']]],
    ['several data lines', 'data: a\ndata: b\n\n', [['message', 'a\nb']]],
    [
      'CRLF',
      'event: e\r\ndata: x\r\n\r\ndata: y\r\n\r\n',
      [
        ['e', 'x'],
        ['message', 'y'],
      ],
    ],
    ['comments, ids and retry times', ': ping\nid: 7\nretry: 10\n\ndata: x\nid: 8\n\n', [['message', 'x']]],
    ['a byte order mark', '\uFEFFdata: x\n\n', [['message', 'x']]],
    ['an end without the last blank line', 'data: x', [['message', 'x']]],
    ['nothing', '', []],
  ])('reads %s', (_, text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  it('gives the same events however the bytes are cut', () => {
    const text = 'event: a\ndata: {"é":"🦆"}\n\n: note\ndata: 1\ndata: 2\n\n'
    const whole = read(text)
    fc.assert(
      fc.property(fc.nat({ max: Buffer.byteLength(text) }), (at) => {
        const bytes = Buffer.from(text)
        expect(read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole)
      }),
    )
  })
})
