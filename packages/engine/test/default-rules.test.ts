import { describe, expect, it } from 'vitest'
import { defaultTruncation, payloadError, rowLikeError } from '../src/default-rules.ts'
import { type ExactObject, isExactObject } from '../src/json/exact.ts'
import { parseExact } from '../src/json/parse-exact.ts'

function object(text: string): ExactObject {
  const value = parseExact(text)
  if (isExactObject(value)) return value
  throw new Error('not an object')
}

describe('payloadError', () => {
  const payloads: [document: string, hasRows: boolean, words: string | undefined][] = [
    ['{"error":"bad"}', false, 'bad'],
    ['{"error":"bad"}', true, undefined],
    ['{"error":{"message":"bad"}}', false, 'bad'],
    ['{"error":true}', false, 'the answer reports a failure without words'],
    ['{"error":null}', false, undefined],
    ['{"error":false}', false, undefined],
    ['{"error":[]}', false, undefined],
    ['{"error":{}}', false, undefined],
    ['{"success":false,"message":"m"}', true, 'm'],
    ['{"success":"false"}', false, undefined],
    ['{"ok":false,"reason":"r"}', false, 'r'],
    ['{"valid":false,"error":"e"}', true, 'e'],
    ['{"status":"error","message":"m"}', false, 'm; status: error'],
    ['{"status":"Failed"}', false, 'status: Failed'],
    ['{"status":"Polling Timeout"}', false, 'status: Polling Timeout'],
    ['{"status":"Complete"}', false, undefined],
    ['{"status":500}', false, undefined],
    ['{"errors":["x"]}', false, undefined],
  ]
  it.each(payloads)('of %s with rows %s is %j', (document, hasRows, words) => {
    expect(payloadError(object(document), hasRows)).toBe(words)
  })
})

describe('rowLikeError', () => {
  it('needs a message and a code', () => {
    expect(rowLikeError(object('{"code":"E1","message":"m"}'))).toBe('m; code: E1')
    expect(rowLikeError(object('{"message":"m"}'))).toBeUndefined()
    expect(rowLikeError(object('{"code":1}'))).toBeUndefined()
  })
})

describe('defaultTruncation', () => {
  it.each(['truncated', 'results_truncated', 'resultsTruncated', 'is_partial'])(
    'believes the flag %s',
    (flag) => {
      expect(defaultTruncation([object(`{"${flag}":true}`)], '')).toBe(`${flag}: true`)
      expect(defaultTruncation([object(`{"metadata":{"${flag}":true}}`)], '')).toBe(`${flag}: true`)
      expect(defaultTruncation([object(`{"${flag}":false}`)], '')).toBeNull()
      expect(defaultTruncation([object(`{"${flag}":"true"}`)], '')).toBeNull()
      expect(defaultTruncation([object(`{"rows":{"${flag}":true}}`)], '')).toBeNull()
    },
  )

  it('believes a line that counts the rows left out', () => {
    expect(defaultTruncation([], 'x\n... and 1,234 more rows\n')).toBe('... and 1,234 more rows')
    expect(defaultTruncation([], 'and some more rows')).toBeNull()
  })
})
