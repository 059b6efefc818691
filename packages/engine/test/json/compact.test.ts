import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compactJson, exactText } from '../../src/json/compact.ts'
import { parseExact } from '../../src/json/parse-exact.ts'
import { toExact } from '../../src/json/to-exact.ts'

describe('compactJson', () => {
  const texts: [source: string, compact: string][] = [
    [
      '{ "b" : 1, "10": 2, "2": { "z": 1.50, "a": 12345678901234567890 } }',
      '{"b":1,"10":2,"2":{"z":1.50,"a":12345678901234567890}}',
    ],
    ['[1e5, -0.0, "\\u00e9\\/\\u0001"]', '[1e5,-0.0,"é/\\u0001"]'],
    ['[ ]', '[]'],
    ['{"a":{}, "b":[[], {}]}', '{"a":{},"b":[[],{}]}'],
    ['"\\u2028 \\u007f \\" \\\\ \\n"', '"\u2028 \u007f \\" \\\\ \\n"'],
    ['null', 'null'],
    ['{"":""}', '{"":""}'],
  ]
  it.each(texts)('writes %s compactly', (source, compact) => {
    expect(compactJson(parseExact(source))).toBe(compact)
  })

  it('writes what JSON.stringify writes, for any value whose numbers have one spelling', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(compactJson(toExact(JSON.parse(text)))).toBe(text)
      }),
    )
  })
})

describe('exactText', () => {
  it('leaves a string as it is and writes the rest as JSON', () => {
    expect(exactText('a "b"')).toBe('a "b"')
    expect(exactText(parseExact('1.50'))).toBe('1.50')
    expect(exactText(parseExact('{"a":[true]}'))).toBe('{"a":[true]}')
  })
})
