import { type ColumnSpec, type ColumnType, parseColumnType } from '@huntfleet/contract'
import type { CellValue } from '../coerce/cell-value.ts'
import type { Coercer } from '../coerce/coercer.ts'
import { isEpochUnit } from '../coerce/epoch.ts'
import { integerRanges } from '../coerce/integer.ts'
import { Rejection } from '../coerce/rejection.ts'
import { utcMicros } from '../coerce/utc-micros.ts'
import type { Exact } from './exact.ts'
import type { NumberFidelity } from './number-fidelity.ts'

/** What a plain value does not tell: the text must be read exactly. */
export const inexact = Symbol('inexact')

/**
 * Turns a plain value into the cell that the column's coercer makes of the exact one. Safe integers of 64-bit columns,
 * and times, may be numbers instead of bigint. A rejection is returned only for a value that is known exactly.
 */
export type FastCell = (value: unknown, numbers: NumberFidelity) => CellValue | Rejection | typeof inexact

/**
 * Compiles the short way of a column: common values directly, other strings and booleans by the column's coercer, numbers
 * only where their value is known, and nested values only where a list column takes plain elements.
 */
export function compileFastCell(column: ColumnSpec, coerce: Coercer): FastCell {
  const type = parseColumnType(column.type) ?? { kind: 'VARCHAR' }
  const short = column.sensitive === 'none' ? shortWay(type, column.format) : () => undefined
  const numbers = numberUse(type, column.format)
  return (value, fidelity) => {
    if (value === null || value === undefined) return column.required ? coerce(value) : null
    const cell = short(value, fidelity)
    if (cell !== undefined) return cell
    switch (typeof value) {
      case 'string':
        return coerce(value.toWellFormed())
      case 'boolean':
        return coerce(value)
      case 'number':
        return isKnown(value, numbers, fidelity) ? unlessRejected(coerce(value)) : inexact
      default: {
        const items = type.kind === 'LIST' ? plainItems(value, numbers, fidelity) : undefined
        return items === undefined ? inexact : unlessRejected(coerce(items))
      }
    }
  }
}

/** A rejection shows the value as it was written, which is lost. */
function unlessRejected(cell: CellValue | Rejection): CellValue | typeof inexact {
  return cell instanceof Rejection ? inexact : cell
}

/** What a type needs of a number: its value in full, what a double has of it, or how it was written. */
type NumberUse = 'value' | 'double' | 'spelling'

function numberUse(type: ColumnType, format: string | null): NumberUse {
  switch (type.kind) {
    case 'LIST':
      return numberUse(type.element, format)
    case 'FLOAT':
    case 'DOUBLE':
      return 'double'
    case 'VARCHAR':
    case 'JSON':
    case 'UUID':
    case 'BLOB':
      return 'spelling'
    case 'DATE':
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMPTZ':
      return format === null || isEpochUnit(format) ? 'value' : 'spelling'
    default:
      return 'value'
  }
}

function isKnown(value: number, use: NumberUse, fidelity: NumberFidelity): boolean {
  if (use === 'spelling') return false
  return use === 'double' ? Number.isFinite(value) : fidelity.keeps(value)
}

function plainItems(value: unknown, use: NumberUse, fidelity: NumberFidelity): Exact[] | undefined {
  if (!Array.isArray(value)) return undefined
  const items: Exact[] = []
  for (const item of value as readonly unknown[]) {
    if (typeof item === 'string') items.push(item.toWellFormed())
    else if (item === null || typeof item === 'boolean') items.push(item)
    else if (typeof item === 'number' && isKnown(item, use, fidelity)) items.push(item)
    else return undefined
  }
  return items
}

/** The cells of a type's most common values; undefined for all others. */
function shortWay(
  type: ColumnType,
  format: string | null,
): (value: unknown, fidelity: NumberFidelity) => CellValue | undefined {
  switch (type.kind) {
    case 'VARCHAR':
      return (value) => (typeof value === 'string' && value.isWellFormed() ? value : undefined)
    case 'DOUBLE':
      return (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
    case 'UTINYINT':
    case 'USMALLINT':
    case 'UINTEGER':
    case 'UBIGINT':
      return shortInteger(integerRanges[type.kind])
    case 'TIMESTAMP':
    case 'TIMESTAMPTZ':
      return format === null ? shortTimestamp : () => undefined
    default:
      return () => undefined
  }
}

function shortInteger({ min, max }: { min: bigint; max: bigint }) {
  const low = Math.max(Number(min), Number.MIN_SAFE_INTEGER)
  const high = Math.min(Number(max), Number.MAX_SAFE_INTEGER)
  return (value: unknown, fidelity: NumberFidelity) => {
    if (typeof value !== 'number' || !(value >= low && value <= high)) return undefined
    // Adding 0 turns -0 into 0.
    return Number.isInteger(value) && fidelity.keeps(value) ? value + 0 : undefined
  }
}

function shortTimestamp(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const micros = utcMicros(value)
  return Number.isNaN(micros) ? undefined : micros
}
