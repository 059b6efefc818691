import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseNumber } from '../../src/coerce/number-text.ts'
import { NumberFidelity } from '../../src/json/number-fidelity.ts'

const keeps = (spelling: string, around = (number: string) => `[${number}]`): boolean =>
  new NumberFidelity(around(spelling)).keeps(Number(spelling))

describe('whether a number that was parsed has the value that the text says', () => {
  test.each([
    '0',
    '-1',
    '1.50',
    '123456789012345',
    '12345678901.2345',
    '1700000000.123456',
    '9007199254740992',
    '0.1',
    '1e22',
    '12e-40',
  ])('%s has', (spelling) => {
    expect(keeps(spelling)).toBe(true)
  })

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '0.99999999999999999999',
    '1.0000000000000000001',
    '9007199254740990.6',
    '99999999999999999e-17',
    '1e400',
    '1e-400',
    '0.0001e-0400',
  ])('%s may not have', (spelling) => {
    expect(keeps(spelling)).toBe(false)
  })

  test.each([
    ['a timestamp', '"2026-11-30T12:34:56.123456Z"'],
    ['an address', '"192.168.100.100"'],
    ['an identifier in a string', '"12345678901234567890"'],
    ['a UUID', '"aaaaaaaa-bbbe-4ccc-8ddd-123456789012"'],
  ])('%s beside it changes nothing', (_, text) => {
    expect(keeps('1', (number) => `{"a": ${text}, "b": ${number}, "c": ${text}}`)).toBe(true)
  })

  test('no number that it says to have kept is another in the text, wherever it stands', () => {
    const digits = fc.array(fc.constantFrom(...'0123456789', '9', '0'), { minLength: 1, maxLength: 25 })
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        digits.map((all) => BigInt(all.join('')).toString()),
        fc.option(digits),
        fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e-', 'E+'), fc.nat(420))),
      )
      .map(([sign, whole, fraction, exponent]) =>
        [sign, whole, fraction && `.${fraction.join('')}`, exponent?.join('')].join(''),
      )
    fc.assert(
      fc.property(number, fc.nat(40), fc.nat(40), (spelling, before, after) => {
        const text = `["${'x'.repeat(before)}",${spelling}, "${'x'.repeat(after)}"]`
        const value = Number(spelling)
        if (!new NumberFidelity(text).keeps(value)) return
        // Smaller numbers than the smallest normal one lose digits; all of them are fractions to every column type.
        if (Math.abs(value) < 1e-300 && value !== 0) return
        const written = parseNumber(String(value))
        const said = parseNumber(spelling)
        expect([written?.digits, written?.exponent]).toEqual([said?.digits, said?.exponent])
      }),
      { numRuns: 3_000 },
    )
  })
})
