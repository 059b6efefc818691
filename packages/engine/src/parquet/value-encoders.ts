import { type ColumnType, RunError } from '@huntfleet/contract'
import { integerRanges } from '../coerce/integer.ts'
import { BooleanEncoder } from './boolean-encoder.ts'
import { ByteArrayEncoder } from './byte-array-encoder.ts'
import { FloatEncoder } from './float-encoder.ts'
import { Int32Encoder } from './int32-encoder.ts'
import { Int64Encoder } from './int64-encoder.ts'
import { decimalBytes } from './parquet-schema.ts'
import { UuidEncoder } from './uuid-encoder.ts'
import type { ValueEncoder } from './value-encoder.ts'
import { WideDecimalEncoder } from './wide-decimal-encoder.ts'

/** The encoder of a flat column's values. */
export function valueEncoder(type: ColumnType): ValueEncoder {
  switch (type.kind) {
    case 'BOOLEAN':
      return new BooleanEncoder(type)
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'UTINYINT':
    case 'USMALLINT':
    case 'UINTEGER': {
      const { min, max } = integerRanges[type.kind]
      return new Int32Encoder(type, Number(min), Number(max))
    }
    case 'DATE': {
      const { min, max } = integerRanges.INTEGER
      return new Int32Encoder(type, Number(min), Number(max))
    }
    case 'UBIGINT':
      return new Int64Encoder(type, integerRanges.UBIGINT.min, integerRanges.UBIGINT.max)
    case 'BIGINT':
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMPTZ':
      return new Int64Encoder(type, integerRanges.BIGINT.min, integerRanges.BIGINT.max)
    case 'FLOAT':
    case 'DOUBLE':
      return new FloatEncoder(type)
    case 'DECIMAL':
      return decimalEncoder(type, type.precision)
    case 'UUID':
      return new UuidEncoder(type)
    case 'VARCHAR':
    case 'JSON':
    case 'BLOB':
      return new ByteArrayEncoder(type)
    case 'LIST':
      throw new RunError('INTERNAL', 'a list is no flat column')
  }
}

function decimalEncoder(type: ColumnType, precision: number): ValueEncoder {
  const largest = 10n ** BigInt(precision) - 1n
  if (precision <= 9) return new Int32Encoder(type, -Number(largest), Number(largest))
  if (precision <= 18) return new Int64Encoder(type, -largest, largest)
  return new WideDecimalEncoder(type, precision, decimalBytes(precision))
}
