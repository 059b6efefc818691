import { createHash } from 'node:crypto'
import { type ColumnSpec, parseColumnType, RunError } from '@huntfleet/contract'
import type { CellValue } from './coerce/cell-value.ts'
import { type Coercer, compileCoercer } from './coerce/coercer.ts'
import { Rejection } from './coerce/rejection.ts'

/** Types whose columns may be `mask` or `hash`; any type may be `drop`. */
export const sensitiveTypes: ReadonlySet<string> = new Set(['VARCHAR'])

/** What stands for a masked value, also in rejects. */
export const maskedText = '***'

/** Before a hash, so that nobody takes it for a value of the source. */
const hashPrefix = 'sha256:'

/**
 * The coercer that a table is filled with: that of the column, and behind it what `sensitive` asks for. `mask` gives
 * `***`, `hash` gives `sha256:` and the lower-case hex SHA-256 of the value's UTF-8 text (equal values stay equal;
 * it has no salt, so that short or guessable values can be found by trying), `drop` gives null. Null stays null.
 * Rejections say that a value did not fit and not which one. Throws `RunError` CONTRACT_INVALID, also for a type that
 * cannot be masked or hashed.
 */
export function protectedCoercer(column: ColumnSpec): Coercer {
  const coerce = compileCoercer(column)
  if (column.sensitive === 'none') return coerce
  const protect = protectionOf(column)
  const missing = column.required ? ' or is missing' : ''
  const reason = `a value does not fit ${column.type}${missing} (withheld: the column is sensitive)`
  return (value) => {
    const cell = coerce(value)
    if (cell === null) return null
    if (!(cell instanceof Rejection)) return protect(cell)
    const reasons = cell.reasons.map(() => reason)
    return new Rejection(reasons, cell.count, null)
  }
}

function protectionOf(column: ColumnSpec): (cell: CellValue) => CellValue {
  if (column.sensitive === 'drop') return () => null
  if (!sensitiveTypes.has(parseColumnType(column.type)?.kind ?? '')) {
    throw new RunError(
      'CONTRACT_INVALID',
      `column ${column.name}: ${column.type} cannot be sensitive: ${column.sensitive}`,
      {
        hint: `use sensitive: drop, or make the column ${[...sensitiveTypes].join(' or ')}`,
      },
    )
  }
  if (column.sensitive === 'mask') return () => maskedText
  return (cell) => hashPrefix + createHash('sha256').update(String(cell), 'utf8').digest('hex')
}
