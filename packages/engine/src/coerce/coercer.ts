import {
  type ColumnSpec,
  type ColumnType,
  columnTypeName,
  columnTypeNames,
  parseColumnType,
  RunError,
} from '@huntfleet/contract'
import type { Exact } from '../json/exact.ts'
import { blobCoercion } from './blob.ts'
import { booleanCoercion } from './boolean.ts'
import type { CellValue } from './cell-value.ts'
import { dateCoercion } from './date.ts'
import { decimalCoercion } from './decimal.ts'
import { floatCoercion } from './float.ts'
import { integerCoercion } from './integer.ts'
import { jsonCoercion } from './json.ts'
import { listCoercion } from './list.ts'
import { type Coercion, type Rejection, reject } from './rejection.ts'
import { timeCoercion } from './time.ts'
import { timestampCoercion } from './timestamp.ts'
import { uuidCoercion } from './uuid.ts'
import { varcharCoercion } from './varchar.ts'

/**
 * Turns a value of the source into a cell of one column, see `CellValue`. Missing and null are null, which is a reject
 * where the column is required. Never throws.
 */
export type Coercer = (value: Exact | undefined) => CellValue | Rejection

/** Compiles the coercion of a column. Throws `RunError` CONTRACT_INVALID for an unknown type, format or time zone. */
export function compileCoercer(column: ColumnSpec): Coercer {
  const coerce = compileCoercion(column)
  if (!column.required) return (value) => (value === null || value === undefined ? null : coerce(value))
  return (value) => {
    const cell = value === null || value === undefined ? null : coerce(value)
    return (
      cell ??
      reject(value === undefined ? 'missing, but the column is required' : 'null, but the column is required')
    )
  }
}

function compileCoercion(column: ColumnSpec): Coercion {
  const type = parseColumnType(column.type)
  if (type === undefined) {
    throw new RunError(
      'CONTRACT_INVALID',
      `column ${column.name}: there is no type ${JSON.stringify(column.type)}`,
      {
        hint: `types are ${columnTypeNames}`,
      },
    )
  }
  try {
    return coercionOf(type, column)
  } catch (error) {
    throw error instanceof RunError ? error.with({ path: `columns.${column.name}` }) : error
  }
}

function coercionOf(type: ColumnType, column: ColumnSpec): Coercion {
  switch (type.kind) {
    case 'VARCHAR':
      return varcharCoercion
    case 'BOOLEAN':
      return booleanCoercion
    case 'FLOAT':
    case 'DOUBLE':
      return floatCoercion(type.kind)
    case 'DECIMAL':
      return decimalCoercion(type.precision, type.scale, column.round)
    case 'DATE':
      return dateCoercion(column)
    case 'TIME':
      return timeCoercion(column)
    case 'TIMESTAMP':
    case 'TIMESTAMPTZ':
      return timestampCoercion(column)
    case 'UUID':
      return uuidCoercion
    case 'BLOB':
      return blobCoercion
    case 'JSON':
      return jsonCoercion
    case 'LIST':
      return listCoercion(coercionOf(type.element, column), columnTypeName(type.element))
    default:
      return integerCoercion(type.kind)
  }
}
