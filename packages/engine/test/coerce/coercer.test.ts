import { describe, expect, test } from 'vitest'
import { compileCoercer } from '../../src/coerce/coercer.ts'
import { coerced, rejected, testRules } from './coercion-table.ts'
import { columnSpec } from './column-spec.ts'

const types = [
  'VARCHAR',
  'BOOLEAN',
  'INTEGER',
  'BIGINT',
  'DOUBLE',
  'DECIMAL(9,2)',
  'DATE',
  'TIME',
  'TIMESTAMP',
  'UUID',
  'BLOB',
  'JSON',
  'INTEGER[]',
]

describe('the coercer of a column', () => {
  test.each(types)('%s: null and missing values are null', (type) => {
    expect(coerced(columnSpec(type), null)).toBeNull()
    expect(coerced(columnSpec(type), undefined)).toBeNull()
  })

  test.each(types)('%s: null and missing values are rejects of a required column', (type) => {
    expect(coerced(columnSpec(type, { required: true }), null)).toEqual(
      rejected('null, but the column is required'),
    )
    expect(coerced(columnSpec(type, { required: true }), undefined)).toEqual(
      rejected('missing, but the column is required'),
    )
  })

  testRules(
    'INTEGER',
    [
      ['7', 7],
      ['""', rejected('but the column is required')],
      ['"x"', rejected('is not a whole number')],
    ],
    {
      required: true,
    },
  )
  testRules('BOOLEAN', [['false', false]], { required: true })
  testRules('VARCHAR', [['""', '']], { required: true })
  testRules('INTEGER', [['0', 0]], { required: true })

  test('a type that does not exist is a contract error that lists the types', () => {
    expect(() => compileCoercer(columnSpec('NUMBERISH'))).toThrow(
      expect.objectContaining({
        code: 'CONTRACT_INVALID',
        message: 'column c: there is no type "NUMBERISH"',
      }),
    )
  })

  test('a reason shows long and unprintable values short and printable', () => {
    const cell = compileCoercer(columnSpec('UUID'))(`\u001b[31m\u202e${'x'.repeat(5_000)}`)
    const shown = `"\\u001b[31m\\u202e${'x'.repeat(54)}"… (5006 characters)`
    expect(cell).toMatchObject({ reasons: [expect.stringMatching(/ is not a UUID such as /)] })
    expect(cell).toMatchObject({ reasons: [expect.stringContaining(shown)] })
  })
})
