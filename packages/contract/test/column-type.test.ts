import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ColumnType, columnTypeName, columnTypeNames, parseColumnType } from '../src/column-type.ts'

const canonical = (text: string) => {
  const type = parseColumnType(text)
  return type === undefined ? undefined : columnTypeName(type)
}

describe('column types', () => {
  it.each([
    ['VARCHAR TEXT STRING', 'VARCHAR'],
    ['BOOLEAN BOOL', 'BOOLEAN'],
    ['TINYINT', 'TINYINT'],
    ['SMALLINT', 'SMALLINT'],
    ['INTEGER INT INT32', 'INTEGER'],
    ['BIGINT INT64 LONG', 'BIGINT'],
    ['HUGEINT', 'DECIMAL(38,0)'],
    ['UTINYINT', 'UTINYINT'],
    ['USMALLINT', 'USMALLINT'],
    ['UINTEGER', 'UINTEGER'],
    ['UBIGINT', 'UBIGINT'],
    ['FLOAT REAL FLOAT32', 'FLOAT'],
    ['DOUBLE FLOAT64', 'DOUBLE'],
    ['DECIMAL NUMERIC', 'DECIMAL(18,3)'],
    ['DATE', 'DATE'],
    ['TIME', 'TIME'],
    ['TIMESTAMP DATETIME', 'TIMESTAMP'],
    ['TIMESTAMPTZ', 'TIMESTAMPTZ'],
    ['UUID', 'UUID'],
    ['BLOB', 'BLOB'],
    ['JSON', 'JSON'],
  ])('%s are %s, in any case and with blanks', (names, type) => {
    for (const name of names.split(' ')) {
      expect(canonical(name)).toBe(type)
      expect(canonical(` ${name.toLowerCase()} `)).toBe(type)
      expect(canonical(`${name}[]`)).toBe(`${type}[]`)
    }
  })

  it.each([
    ['decimal(9,2)', 'DECIMAL(9,2)'],
    ['DECIMAL ( 9 , 2 )', 'DECIMAL(9,2)'],
    ['DECIMAL(9)', 'DECIMAL(9,0)'],
    ['DECIMAL(38,38)', 'DECIMAL(38,38)'],
    ['numeric(1,0)[]', 'DECIMAL(1,0)[]'],
  ])('%s is %s', (text, type) => {
    expect(canonical(text)).toBe(type)
  })

  it.each([
    '',
    'VARCHR',
    'DECIMAL(0,0)',
    'DECIMAL(39,0)',
    'DECIMAL(5,6)',
    'DECIMAL(-1,0)',
    'DECIMAL()',
    '[]',
    'VARCHAR[][]',
    'VARCHAR[',
    'constructor',
    'VARCHAR(10)',
  ])('%j is none', (text) => {
    expect(parseColumnType(text)).toBeUndefined()
  })

  it('are named in a way that is read back', () => {
    const names = columnTypeNames.split(/[;,] /).filter((name) => /^[A-Z]+$/.test(name))
    const plain = fc.constantFrom(...names).map((name) => parseColumnType(name))
    const decimal = fc
      .tuple(fc.integer({ min: 1, max: 38 }), fc.nat(38))
      .filter(([precision, scale]) => scale <= precision)
      .map(([precision, scale]): ColumnType => ({ kind: 'DECIMAL', precision, scale }))
    fc.assert(
      fc.property(fc.oneof(plain, decimal), fc.boolean(), (element, inList) => {
        if (element === undefined) throw new Error('a listed type is not known')
        const type: ColumnType = inList ? { kind: 'LIST', element } : element
        expect(parseColumnType(columnTypeName(type))).toEqual(type)
      }),
    )
  })
})
