import type { CellValue } from '@huntfleet/engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cellJson, cellText } from '../../src/terminal/cell-text.ts'

describe('a cell', () => {
  it.each<[string, CellValue, string, unknown]>([
    ['VARCHAR', 'a b', 'a b', 'a b'],
    ['VARCHAR', null, '', null],
    ['JSON', '{"a":1}', '{"a":1}', '{"a":1}'],
    [
      'UUID',
      '00000000-0000-0000-0000-000000000001',
      '00000000-0000-0000-0000-000000000001',
      '00000000-0000-0000-0000-000000000001',
    ],
    ['BOOLEAN', true, 'true', true],
    ['INTEGER', -5, '-5', -5],
    ['BIGINT', 9007199254740993n, '9007199254740993', '9007199254740993'],
    ['DOUBLE', 1.5, '1.5', 1.5],
    ['DOUBLE', Number.NaN, 'NaN', 'NaN'],
    ['DOUBLE', Number.NEGATIVE_INFINITY, '-Infinity', '-Infinity'],
    ['DOUBLE', -0, '-0', '-0'],
    ['DECIMAL(9,2)', 1250n, '12.50', '12.50'],
    ['DECIMAL(9,2)', -5n, '-0.05', '-0.05'],
    ['DECIMAL(9,2)', 0n, '0.00', '0.00'],
    ['DECIMAL(3,3)', 7n, '0.007', '0.007'],
    ['DECIMAL(38,0)', 10n ** 37n, `1${'0'.repeat(37)}`, `1${'0'.repeat(37)}`],
    ['DATE', 0, '1970-01-01', '1970-01-01'],
    ['DATE', -1, '1969-12-31', '1969-12-31'],
    ['DATE', 20_787, '2026-11-30', '2026-11-30'],
    ['DATE', -719_162, '0001-01-01', '0001-01-01'],
    ['TIME', 0n, '00:00:00.000000', '00:00:00.000000'],
    ['TIME', 86_399_999_999n, '23:59:59.999999', '23:59:59.999999'],
    ['TIMESTAMP', 0n, '1970-01-01T00:00:00.000000Z', '1970-01-01T00:00:00.000000Z'],
    ['TIMESTAMP', -1n, '1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['TIMESTAMPTZ', 1_796_040_000_123_456n, '2026-11-30T12:00:00.123456Z', '2026-11-30T12:00:00.123456Z'],
    ['BLOB', new Uint8Array([0, 255, 16]), '0x00ff10', '0x00ff10'],
    ['BLOB', new Uint8Array(), '0x', '0x'],
    ['VARCHAR[]', ['a', null], '[a, null]', ['a', null]],
    ['BIGINT[]', [], '[]', []],
    ['TIMESTAMP[]', [0n], '[1970-01-01T00:00:00.000000Z]', ['1970-01-01T00:00:00.000000Z']],
    ['DECIMAL(4,1)[]', [15n, null], '[1.5, null]', ['1.5', null]],
  ])('of the type %s, %o, reads %s', (type, cell, text, json) => {
    expect(cellText(cell, type)).toBe(text)
    expect(cellJson(cell, type)).toEqual(json)
  })

  it('of a DECIMAL keeps all its digits', () => {
    const scale = fc.nat(18)
    const unscaled = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })
    fc.assert(
      fc.property(unscaled, scale, (value, digits) => {
        const text = cellText(value, `DECIMAL(19,${digits})`)
        expect(BigInt(text.replace('.', ''))).toBe(value)
        expect((text.split('.')[1] ?? '').length).toBe(digits)
      }),
    )
  })

  it('of a TIMESTAMP is the moment that JavaScript names', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01Z'), max: new Date('9999-12-31Z'), noInvalidDate: true }),
        (date) => {
          const text = cellText(BigInt(date.getTime()) * 1_000n, 'TIMESTAMP')
          expect(text).toBe(date.toISOString().replace('Z', '000Z'))
        },
      ),
    )
  })
})
