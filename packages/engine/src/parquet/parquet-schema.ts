import { type ColumnSpec, type ColumnType, parseColumnType, RunError } from '@huntfleet/contract'
import type { SchemaElement } from 'hyparquet-writer'

/**
 * The Parquet schema of a table: every column optional, in the contract's order, with the logical types of the Parquet
 * format specification. Decimals are INT32 up to 9 digits, INT64 up to 18 and fixed-length bytes beyond.
 */
export function parquetSchema(columns: readonly ColumnSpec[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.flatMap((column) => columnElements(column.name, typeOf(column))),
  ]
}

/** The type of a column that has been checked. */
export function typeOf(column: ColumnSpec): ColumnType {
  const type = parseColumnType(column.type)
  if (type === undefined) {
    throw new RunError(
      'CONTRACT_INVALID',
      `column ${column.name}: there is no type ${JSON.stringify(column.type)}`,
    )
  }
  return type
}

function columnElements(name: string, type: ColumnType): SchemaElement[] {
  if (type.kind !== 'LIST') return [flatElement(name, type)]
  return [
    {
      name,
      repetition_type: 'OPTIONAL',
      num_children: 1,
      converted_type: 'LIST',
      logical_type: { type: 'LIST' },
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...leafOf(type.element) },
  ]
}

/** The schema of a column of any type but lists. */
export function flatElement(name: string, type: ColumnType): SchemaElement {
  return { name, repetition_type: 'OPTIONAL', ...leafOf(type) }
}

type Leaf = Omit<SchemaElement, 'name'>

function integer(bitWidth: 8 | 16 | 32 | 64, isSigned: boolean): Leaf {
  // No logical type: hyparquet-writer 0.17 writes its width as 32 bits where 8 belong, and DuckDB refuses the file.
  return {
    type: bitWidth === 64 ? 'INT64' : 'INT32',
    converted_type: `${isSigned ? 'INT' : 'UINT'}_${bitWidth}`,
  }
}

function timestamp(isAdjustedToUTC: boolean): Leaf {
  // No converted type: TIMESTAMP_MICROS would say UTC of both.
  return { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit: 'MICROS' } }
}

function leafOf(type: ColumnType): Leaf {
  switch (type.kind) {
    case 'VARCHAR':
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
    case 'BOOLEAN':
      return { type: 'BOOLEAN' }
    case 'TINYINT':
      return integer(8, true)
    case 'SMALLINT':
      return integer(16, true)
    case 'INTEGER':
      return integer(32, true)
    case 'BIGINT':
      return integer(64, true)
    case 'UTINYINT':
      return integer(8, false)
    case 'USMALLINT':
      return integer(16, false)
    case 'UINTEGER':
      return integer(32, false)
    case 'UBIGINT':
      return integer(64, false)
    case 'FLOAT':
      return { type: 'FLOAT' }
    case 'DOUBLE':
      return { type: 'DOUBLE' }
    case 'DECIMAL':
      return decimal(type.precision, type.scale)
    case 'DATE':
      return { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }
    case 'TIME':
      return { type: 'INT64', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' } }
    case 'TIMESTAMP':
      return timestamp(false)
    case 'TIMESTAMPTZ':
      return timestamp(true)
    case 'UUID':
      return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } }
    case 'BLOB':
      return { type: 'BYTE_ARRAY' }
    case 'JSON':
      return { type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } }
    case 'LIST':
      throw new RunError('INTERNAL', 'a list of lists reached the Parquet schema')
  }
}

function decimal(precision: number, scale: number): Leaf {
  const named: Leaf = {
    converted_type: 'DECIMAL',
    logical_type: { type: 'DECIMAL', precision, scale },
    precision,
    scale,
  }
  if (precision <= 9) return { type: 'INT32', ...named }
  if (precision <= 18) return { type: 'INT64', ...named }
  return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: decimalBytes(precision), ...named }
}

/** Bytes of a two's complement number of so many decimal digits. */
export function decimalBytes(precision: number): number {
  return Math.ceil((Math.log2(10) * precision + 1) / 8)
}

/**
 * Gives JSON leaves their converted type, without which DuckDB reads them as BLOB. Only just before the footer is
 * written: hyparquet-writer 0.17 would otherwise take JSON text for a string value and quote it again.
 */
export function markJson(schema: SchemaElement[]): void {
  for (const element of schema) if (element.logical_type?.type === 'JSON') element.converted_type = 'JSON'
}
