import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kindOfValue, plainNumber, plainText } from '../src/plain-text.ts'

describe('plainText', () => {
  it.each([
    [null, ''],
    [true, 'true'],
    [false, 'false'],
    ["o'neil", "o'neil"],
    [1_000_000, '1000000'],
    [2.5, '2.5'],
    [1e21, '1000000000000000000000'],
    [1.5e-7, '0.00000015'],
    [-1.25e22, '-12500000000000000000000'],
    [5e-324, `0.${'0'.repeat(323)}5`],
  ])('writes %j without exponent or quotes', (value, text) => {
    expect(plainText(value)).toBe(text)
  })

  it('keeps the value of every number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = plainNumber(number)
        expect(text).not.toContain('e')
        expect(Number(text)).toBe(number === 0 ? 0 : number)
      }),
    )
  })
})

describe('kindOfValue', () => {
  it.each([
    [null, 'null'],
    [[], 'a list'],
    [{}, 'a map'],
    ['x', 'a string'],
    [1, 'a number'],
  ])('calls %j what it is', (value, kind) => {
    expect(kindOfValue(value)).toBe(kind)
  })
})
