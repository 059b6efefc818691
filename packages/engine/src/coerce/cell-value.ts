/**
 * What a coerced cell is, by the column's type; null for every type:
 *
 * | type | value |
 * |---|---|
 * | VARCHAR | string, well-formed Unicode |
 * | JSON | string, valid JSON text |
 * | UUID | string, 8-4-4-4-12 lower-case hex |
 * | BOOLEAN | boolean |
 * | TINYINT … INTEGER, UTINYINT … UINTEGER | number |
 * | BIGINT, UBIGINT | bigint |
 * | FLOAT, DOUBLE | number, also NaN, ±Infinity and −0 |
 * | DECIMAL(p,s) | bigint, the unscaled value: 12.50 as DECIMAL(9,2) is 1250n |
 * | DATE | number, days since 1970-01-01 |
 * | TIME | bigint, microseconds since midnight |
 * | TIMESTAMP, TIMESTAMPTZ | bigint, microseconds since 1970-01-01T00:00:00Z |
 * | BLOB | Uint8Array |
 * | T[] | array of T, elements may be null |
 */
export type CellValue = null | boolean | number | bigint | string | Uint8Array | readonly CellValue[]
