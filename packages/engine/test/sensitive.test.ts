import { describe, expect, test } from 'vitest'
import { Rejection } from '../src/coerce/rejection.ts'
import { protectedCoercer, sensitiveTypes } from '../src/sensitive.ts'
import { columnSpec } from './coerce/column-spec.ts'

describe('a sensitive column', () => {
  test('that is masked has *** for every value and null for null', () => {
    const coerce = protectedCoercer(columnSpec('VARCHAR', { sensitive: 'mask' }))
    expect(coerce('secret')).toBe('***')
    expect(coerce('')).toBe('***')
    expect(coerce(17)).toBe('***')
    expect(coerce(null)).toBeNull()
    expect(coerce(undefined)).toBeNull()
  })

  test('that is hashed has the marked SHA-256 of its text', () => {
    const coerce = protectedCoercer(columnSpec('VARCHAR', { sensitive: 'hash' }))
    // printf abc | sha256sum
    expect(coerce('abc')).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(coerce('1.50')).not.toBe(coerce('1.5'))
    expect(coerce(null)).toBeNull()
  })

  test.each(['VARCHAR', 'INTEGER', 'TIMESTAMP', 'VARCHAR[]', 'BLOB'])(
    'that is dropped is null for every %s',
    (type) => {
      const coerce = protectedCoercer(columnSpec(type, { sensitive: 'drop' }))
      expect(
        coerce(
          type === 'VARCHAR[]' ? ['a'] : type === 'BLOB' ? '0x00' : type === 'INTEGER' ? 1 : '2026-02-03',
        ),
      ).toBeNull()
    },
  )

  test('says that a value did not fit, and not which one', () => {
    for (const type of ['INTEGER', 'TIMESTAMP', 'INTEGER[]']) {
      const cell = protectedCoercer(columnSpec(type, { sensitive: 'drop' }))(
        type === 'INTEGER[]' ? ['hunter2'] : 'hunter2',
      )
      expect(cell).toBeInstanceOf(Rejection)
      expect(JSON.stringify(cell)).not.toContain('hunter2')
      expect(cell).toMatchObject({ count: 1, stored: null, reasons: [expect.stringContaining('withheld')] })
    }
  })

  test('may be required all the same', () => {
    const coerce = protectedCoercer(columnSpec('VARCHAR', { sensitive: 'mask', required: true }))
    expect(coerce('secret')).toBe('***')
    expect(coerce(null)).toMatchObject({ reasons: [expect.stringContaining('missing')] })
  })

  test.each(['mask', 'hash'] as const)('of another type than text cannot be %s', (sensitive) => {
    expect([...sensitiveTypes]).toEqual(['VARCHAR'])
    for (const type of ['INTEGER', 'JSON', 'VARCHAR[]', 'TIMESTAMP']) {
      expect(() => protectedCoercer(columnSpec(type, { sensitive }))).toThrow(
        expect.objectContaining({
          code: 'CONTRACT_INVALID',
          message: expect.stringContaining(`sensitive: ${sensitive}`),
        }),
      )
    }
  })

  test('that is not sensitive keeps its values and reasons', () => {
    const coerce = protectedCoercer(columnSpec('INTEGER'))
    expect(coerce('17')).toBe(17)
    expect(coerce('x')).toMatchObject({ reasons: ['"x" is not a whole number'] })
  })
})
