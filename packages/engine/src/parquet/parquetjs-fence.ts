import { type ColumnSpec, type ColumnType, RunError } from '@huntfleet/contract'
import type { CellValue } from '../coerce/cell-value.ts'
import { typeOf } from './parquet-schema.ts'

/** What parquetjs-lite writes of a type: its name for it, and the value that stands for a cell. */
export interface ParquetjsType {
  name: string
  /** Undefined for a cell that parquetjs-lite would refuse or alter. */
  value(cell: CellValue): unknown
}

const safe = BigInt(Number.MAX_SAFE_INTEGER)
const dayMs = 86_400_000

/** The types that parquetjs-lite writes right, as far as `value` lets cells through. */
const types: { readonly [K in ColumnType['kind']]?: ParquetjsType } = {
  VARCHAR: { name: 'UTF8', value: (cell) => (typeof cell === 'string' ? cell : undefined) },
  BOOLEAN: { name: 'BOOLEAN', value: (cell) => (typeof cell === 'boolean' ? cell : undefined) },
  INTEGER: { name: 'INT32', value: (cell) => (typeof cell === 'number' ? cell : undefined) },
  BIGINT: { name: 'INT64', value: safeInteger },
  // -0 becomes 0, and NaN and the infinities are refused or lost.
  DOUBLE: {
    name: 'DOUBLE',
    value: (cell) => (Number.isFinite(cell) && !Object.is(cell, -0) ? cell : undefined),
  },
  // Numbers of days before 1970 are refused; dates are not.
  DATE: { name: 'DATE', value: (cell) => (typeof cell === 'number' ? new Date(cell * dayMs) : undefined) },
  TIMESTAMP: {
    name: 'TIMESTAMP_MICROS',
    value: (cell) => {
      const micros = typeof cell === 'number' ? BigInt(cell) : cell
      return typeof micros === 'bigint' && micros >= 0n ? micros : undefined
    },
  },
}

function safeInteger(cell: CellValue): number | undefined {
  if (typeof cell === 'number') return Number.isSafeInteger(cell) ? cell : undefined
  return typeof cell === 'bigint' && cell >= -safe && cell <= safe ? Number(cell) : undefined
}

const hint = `parquetjs-lite writes ${Object.keys(types).join(', ')}; without storage.parquet_engine every type is written`

/** How parquetjs-lite writes a column. Throws PROJECT_INVALID for one that it cannot write. */
export function parquetjsType(column: ColumnSpec): ParquetjsType {
  // Its schema is a plain object, of which this would become the prototype.
  const type = column.name === '__proto__' ? undefined : types[typeOf(column).kind]
  if (type !== undefined) return type
  const message = `column ${column.name} is ${column.type}, which storage.parquet_engine: parquetjs-lite cannot write`
  throw new RunError('PROJECT_INVALID', message, { hint })
}

/** Throws PROJECT_INVALID, with the name and type of each, when parquetjs-lite cannot write some of these columns. */
export function refuseForParquetjs(columns: readonly ColumnSpec[]): void {
  const refused = columns.filter((column) => !isWritable(column))
  const [first] = refused
  if (first === undefined) return
  if (refused.length === 1) parquetjsType(first)
  const named = refused.map(({ name, type }) => `${name} (${type})`).join(', ')
  throw new RunError(
    'PROJECT_INVALID',
    `storage.parquet_engine: parquetjs-lite cannot write the columns ${named}`,
    { hint },
  )
}

function isWritable(column: ColumnSpec): boolean {
  return column.name !== '__proto__' && types[typeOf(column).kind] !== undefined
}

/** The error for a cell that parquetjs-lite would alter. */
export function unwritable(column: ColumnSpec, cell: CellValue): RunError {
  const shown = Object.is(cell, -0) ? '-0' : String(cell).slice(0, 60)
  return new RunError(
    'PROJECT_INVALID',
    `column ${column.name} holds ${shown}, which storage.parquet_engine: parquetjs-lite would refuse or alter`,
    {
      hint: 'it writes integers up to 2^53 - 1, finite numbers but -0, and timestamps from 1970 on; remove storage.parquet_engine',
    },
  )
}
