import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timestampCoercion } from '../../src/coerce/timestamp.ts'
import { utcMicros } from '../../src/coerce/utc-micros.ts'

/** Of a text that stands amid others. */
function microsOf(text: string): number {
  const bytes = Buffer.from(`"${text}"`)
  return utcMicros(bytes, 1, bytes.length - 1)
}

const coerce = timestampCoercion({ format: null, timezone: null })

test.each([
  ['1970-01-01T00:00:00Z', 0],
  ['1969-12-31T23:59:59.999999Z', -1],
  ['2024-02-29T12:34:56.5Z', 1_709_210_096_500_000],
  ['2255-01-01T00:00:00Z', 8_993_721_600_000_000],
])('%s is %i', (text, micros) => {
  expect(microsOf(text)).toBe(micros)
})

test.each([
  '',
  '2023-02-29T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-06-30T23:59:60Z',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00.1234567Z',
  '2026-01-01T00:00:00,5Z',
  '2026-01-01 00:00:00Z',
  '2026-01-01T00:00:00+00:00',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '2026-01-01T00:00:0xZ',
])('%j is left to the full reader', (text) => {
  expect(microsOf(text)).toBeNaN()
})

test('is what the full reader says, whenever it is a number', () => {
  const digits = (length: number) =>
    fc.array(fc.nat(9), { minLength: length, maxLength: length }).map((all) => all.join(''))
  const date = fc.oneof(
    fc.date({ noInvalidDate: true }).map((day) => day.toISOString().slice(-24, -1)),
    fc.tuple(digits(4), digits(2), digits(2)).map((parts) => `${parts.join('-')}T01:02:03`),
    fc.tuple(digits(2), digits(2), digits(2)).map((parts) => `2026-01-02T${parts.join(':')}`),
  )
  const fraction = fc.oneof(
    fc.constant(''),
    fc
      .nat(7)
      .chain(digits)
      .map((all) => `.${all}`),
  )
  fc.assert(
    fc.property(date, fraction, fc.constantFrom('Z', 'Z', 'z', ''), (time, rest, zone) => {
      const text = `${time}${rest}${zone}`
      const micros = microsOf(text)
      if (!Number.isNaN(micros)) expect(coerce(text)).toBe(BigInt(micros))
    }),
    { numRuns: 2_000 },
  )
})
