import { type ColumnType, type Json, parseColumnType } from '@huntfleet/contract'
import type { CellValue } from '@huntfleet/engine'

/** A cell as people read it, by the type of its column (see `CellValue`); null is the empty text. */
export function cellText(cell: CellValue, type: string): string {
  return textOf(cell, parseColumnType(type))
}

/**
 * A cell in JSON output: texts, numbers, booleans and null as such, lists as arrays; every other value, and every
 * number that JSON would change, as the text that people read.
 */
export function cellJson(cell: CellValue, type: string): Json {
  return jsonOf(cell, parseColumnType(type))
}

function jsonOf(cell: CellValue, type: ColumnType | undefined): Json {
  if (cell === null || typeof cell === 'boolean' || typeof cell === 'string') return cell
  if (isList(cell)) return cell.map((element) => jsonOf(element, elementOf(type)))
  if (typeof cell === 'number' && type?.kind !== 'DATE' && isKept(cell)) return cell
  return textOf(cell, type)
}

function textOf(cell: CellValue, type: ColumnType | undefined): string {
  if (cell === null) return ''
  if (isList(cell)) {
    const parts = cell.map((element) => (element === null ? 'null' : textOf(element, elementOf(type))))
    return `[${parts.join(', ')}]`
  }
  if (cell instanceof Uint8Array) return `0x${Buffer.from(cell).toString('hex')}`
  switch (type?.kind) {
    case 'DATE':
      return typeof cell === 'number' ? dayText(cell) : String(cell)
    case 'TIME':
      return typeof cell === 'bigint' ? timeText(cell) : String(cell)
    case 'TIMESTAMP':
    case 'TIMESTAMPTZ':
      return typeof cell === 'bigint' ? instantText(cell) : String(cell)
    case 'DECIMAL':
      return typeof cell === 'bigint' ? decimalText(cell, type.scale) : String(cell)
    default:
      return Object.is(cell, -0) ? '-0' : String(cell)
  }
}

const isKept = (value: number) => Number.isFinite(value) && !Object.is(value, -0)
const isList = (cell: CellValue): cell is readonly CellValue[] => Array.isArray(cell)

const elementOf = (type: ColumnType | undefined) => (type?.kind === 'LIST' ? type.element : undefined)

const microsPerSecond = 1_000_000n
const microsPerDay = 86_400n * microsPerSecond

/** `2026-11-30` of days since 1970. */
function dayText(days: number): string {
  return new Date(days * 86_400_000).toISOString().replace(/T.*$/, '')
}

/** `12:00:00.000000` of microseconds since midnight. */
function timeText(micros: bigint): string {
  const seconds = micros / microsPerSecond
  const two = (value: bigint) => value.toString().padStart(2, '0')
  const fraction = (micros % microsPerSecond).toString().padStart(6, '0')
  return `${two(seconds / 3_600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}.${fraction}`
}

/** `2026-11-30T12:00:00.000000Z` of microseconds since 1970. */
function instantText(micros: bigint): string {
  const rest = ((micros % microsPerDay) + microsPerDay) % microsPerDay
  return `${dayText(Number((micros - rest) / microsPerDay))}T${timeText(rest)}Z`
}

/** `12.50` of the unscaled value 1250 with two digits. */
function decimalText(unscaled: bigint, scale: number): string {
  if (scale === 0) return unscaled.toString()
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
