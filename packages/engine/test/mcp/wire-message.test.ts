import { describe, expect, it } from 'vitest'
import { readMessages, type WireAnswers } from '../../src/mcp/wire-message.ts'

function read(text: string) {
  const answers: WireAnswers = new WeakMap()
  return { messages: readMessages(text, text.length, answers), answers }
}

describe('readMessages', () => {
  it.each<[string, string, unknown[]]>([
    [
      'a notification',
      '{"jsonrpc":"2.0","method":"m","params":{"a":1}}',
      [{ jsonrpc: '2.0', method: 'm', params: { a: 1 } }],
    ],
    ['a request', '{"jsonrpc":"2.0","id":"x","method":"m"}', [{ jsonrpc: '2.0', id: 'x', method: 'm' }]],
    [
      'an answer without its version and with strange keys',
      '{"id":1,"result":{"a":1},"debug":true}',
      [{ jsonrpc: '2.0', id: 1, result: { a: 1 } }],
    ],
    [
      'meta that the SDK would refuse',
      '{"id":1,"result":{"_meta":7,"a":1}}',
      [{ jsonrpc: '2.0', id: 1, result: { a: 1 } }],
    ],
    [
      'an error with a word as code',
      '{"id":1,"error":{"code":"500","message":"m"}}',
      [{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'm' } }],
    ],
    [
      'an error without a message',
      '{"id":1,"error":{"code":5}}',
      [{ jsonrpc: '2.0', id: 1, error: { code: 5, message: '5' } }],
    ],
    [
      'an error for nobody',
      '{"id":null,"error":{"code":-32700,"message":"m"}}',
      [{ jsonrpc: '2.0', error: { code: -32700, message: 'm' } }],
    ],
    [
      'a result that is no object',
      '{"id":1,"result":"x"}',
      [{ jsonrpc: '2.0', id: 1, error: { code: -32700, message: expect.any(String) } }],
    ],
    [
      'a batch',
      '[{"id":1,"result":{}},{"method":"m"}]',
      [
        { jsonrpc: '2.0', id: 1, result: {} },
        { jsonrpc: '2.0', method: 'm' },
      ],
    ],
    ['what is no message', '[1,"x",null,{"level":"info"},{"id":{},"result":{}}]', []],
  ])('reads %s', (_, text, expected) => {
    expect(read(text).messages).toEqual(expected)
  })

  it('keeps the answer as it was, beside the message', () => {
    const text = '[{"id":1,"result":{"_meta":{"c":1},"a":2}}]'
    const { messages, answers } = read(text)
    const [message] = messages
    const answer = message && 'result' in message ? answers.get(message.result) : undefined
    expect(answer).toEqual({
      result: { _meta: { c: 1 }, a: 2 },
      text,
      index: 0,
      bytes: text.length,
      held: null,
    })
  })

  it('throws on what is not JSON, and takes the words of Python for numbers', () => {
    expect(() => read('{"id":1')).toThrow(SyntaxError)
    expect(() => read('{"id":NaN')).toThrow(SyntaxError)
    expect(read('{"id":1,"result":{"x":NaN,"y":-Infinity}}').messages).toMatchObject([
      { result: { x: 'NaN', y: '-Infinity' } },
    ])
  })
})
