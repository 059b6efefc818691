import { describe, expect, it } from 'vitest'
import { errorText, errorWords } from '../src/error-words.ts'
import { parseExact } from '../src/json/parse-exact.ts'

describe('errorWords', () => {
  const payloads: [payload: string, words: string][] = [
    ['{"error":"bad query"}', 'bad query'],
    ['{"success":false,"message":"no","query":"rate limit"}', 'no'],
    ['{"error":{"message":"deep","code":42}}', 'deep; code: 42'],
    ['{"error":"x","details":{"status_code":403,"body":{"errors":["hidden"]}}}', 'x; status_code: 403'],
    ['{"errors":[{"detail":"one"},{"detail":"two"}]}', 'one; two'],
    ['{"error":"same","message":"same"}', 'same'],
    ['{"error":true}', ''],
    ['{"rows":[{"message":"a row"}]}', ''],
    ['"plain"', 'plain'],
  ]
  it.each(payloads)('of %s are %j', (payload, words) => {
    expect(errorWords(parseExact(payload))).toBe(words)
  })

  it('are bounded, however deep or long the payload', () => {
    expect(errorWords(parseExact(`${'{"error":'.repeat(20_000)}"x"${'}'.repeat(20_000)}`))).toBe('')
    expect(errorWords(parseExact(JSON.stringify({ error: 'y'.repeat(100_000) }))).length).toBe(4_096)
  })
})

describe('errorText', () => {
  it('falls back to the payload itself', () => {
    expect(errorText(parseExact('{"fault": {"n": 1}}'))).toBe('{"fault":{"n":1}}')
  })
})
