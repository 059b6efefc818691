import { describe, expect, test } from 'vitest'
import { parseExact } from '../../src/json/parse-exact.ts'
import { coerced, testRules } from './coercion-table.ts'
import { columnSpec } from './column-spec.ts'

describe('text', () => {
  testRules('VARCHAR', [
    ['"a"', 'a'],
    ['""', ''],
    ['"  blanks  "', '  blanks  '],
    ['"nul\\u0000\\u001b[31m\\r\\n"', 'nul\u0000\u001b[31m\r\n'],
    ['"\u202egnp.exe\u200b\ufeff"', '\u202egnp.exe\u200b\ufeff'],
    ['"😀 漢"', '😀 漢'],
    ['42', '42'],
    ['12.5000', '12.5000'],
    ['1e5', '1e5'],
    ['-0.0', '-0.0'],
    ['1e400', '1e400'],
    ['12345678901234567890', '12345678901234567890'],
    ['true', 'true'],
    ['false', 'false'],
    ['null', null],
    [
      '{"b":1,"10":2,"2":{"z":1.50,"a":12345678901234567890}}',
      '{"b":1,"10":2,"2":{"z":1.50,"a":12345678901234567890}}',
    ],
    ['[1e5, -0.0, "\\u00e9\\/\\u0001"]', '[1e5,-0.0,"é/\\u0001"]'],
    ['[]', '[]'],
    ['{}', '{}'],
  ])

  test('half a surrogate pair becomes U+FFFD, the rest of the text stays', () => {
    expect(coerced(columnSpec('TEXT'), 'half \ud83d end')).toBe('half \ufffd end')
  })

  test('a value that is missing is null', () => {
    expect(coerced(columnSpec('VARCHAR'), undefined)).toBeNull()
  })

  test('20,000 levels of nesting are text', () => {
    const json = '['.repeat(20_000) + ']'.repeat(20_000)
    expect(coerced(columnSpec('VARCHAR'), parseExact(json))).toBe(json)
    expect(coerced(columnSpec('JSON'), json)).toBe(json)
  })
})
