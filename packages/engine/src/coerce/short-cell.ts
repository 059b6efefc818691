import { type ColumnSpec, type ColumnType, parseColumnType } from '@huntfleet/contract'
import { type CellBatch, form } from '../parquet/cell-batch.ts'
import { integerRanges } from './integer.ts'
import { utcMicros } from './utc-micros.ts'

/**
 * Puts the cell of a value that is not null, which stands in the bytes as JSON (a string without escapes), into a batch at
 * `at`: exactly the one that the column's coercer makes of the value. False, and nothing is put, for a value that is not
 * among its type's common ones.
 */
export type ShortCell = (
  bytes: Uint8Array,
  start: number,
  end: number,
  batch: CellBatch,
  at: number,
) => boolean

/** The short way of a column's common values; null for a column that has none, and for texts, which have their own. */
export function compileShortCell(column: ColumnSpec): ShortCell | null {
  const type = parseColumnType(column.type)
  return type === undefined || column.sensitive !== 'none' ? null : shortCellOf(type, column)
}

function shortCellOf(type: ColumnType, { format }: ColumnSpec): ShortCell | null {
  switch (type.kind) {
    case 'BOOLEAN':
      return boolean
    case 'DOUBLE':
      return double
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
    case 'UTINYINT':
    case 'USMALLINT':
    case 'UINTEGER':
    case 'UBIGINT':
      return integer(integerRanges[type.kind])
    case 'TIMESTAMP':
    case 'TIMESTAMPTZ':
      return format === null ? timestamp : null
    default:
      return null
  }
}

const quote = 0x22
const minus = 0x2d
const point = 0x2e

const boolean: ShortCell = (bytes, start, _end, batch, at) => {
  const first = bytes[start]
  if (first !== 0x74 && first !== 0x66) return false
  batch.forms[at] = form.cell
  batch.cells[at] = first === 0x74
  return true
}

/** Integers of so many digits are exact as doubles. */
const exactDigits = 15

/** Powers of ten that are exact as doubles; a quotient of two exact doubles is the double nearest to it. */
const powers = Array.from({ length: exactDigits + 1 }, (_, exponent) => 10 ** exponent)

const double: ShortCell = (bytes, start, end, batch, at) => {
  const first = bytes[start] === minus ? start + 1 : start
  // A point is no digit.
  if (end - first > exactDigits + 1) return false
  let digits = 0
  let fraction = 0
  for (let place = first; place < end; place++) {
    const digit = bytes[place]! - 0x30
    if (digit >= 0 && digit <= 9) digits = digits * 10 + digit
    else if (bytes[place] === point) fraction = end - place - 1
    else return false
  }
  if (digits > 10 ** exactDigits) return false
  const magnitude = digits / powers[fraction]!
  batch.forms[at] = form.number
  batch.numbers[at] = first === start ? magnitude : -magnitude
  return true
}

function integer({ min, max }: { min: bigint; max: bigint }): ShortCell {
  const low = Math.max(Number(min), Number.MIN_SAFE_INTEGER)
  const high = Math.min(Number(max), Number.MAX_SAFE_INTEGER)
  return (bytes, start, end, batch, at) => {
    const first = bytes[start] === minus ? start + 1 : start
    if (end - first > exactDigits) return false
    let digits = 0
    for (let place = first; place < end; place++) {
      const digit = bytes[place]! - 0x30
      if (digit < 0 || digit > 9) return false
      digits = digits * 10 + digit
    }
    // 0 - digits, because -0 is no integer of ours.
    const value = first === start ? digits : 0 - digits
    if (value < low || value > high) return false
    batch.forms[at] = form.number
    batch.numbers[at] = value
    return true
  }
}

const timestamp: ShortCell = (bytes, start, end, batch, at) => {
  if (bytes[start] !== quote) return false
  const micros = utcMicros(bytes, start + 1, end - 1)
  if (Number.isNaN(micros)) return false
  batch.forms[at] = form.number
  batch.numbers[at] = micros
  return true
}
