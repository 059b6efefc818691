/** Column types of a contract (SPEC section 3): names, aliases and their canonical spelling. */

const plainKinds = [
  'VARCHAR',
  'BOOLEAN',
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'UTINYINT',
  'USMALLINT',
  'UINTEGER',
  'UBIGINT',
  'FLOAT',
  'DOUBLE',
  'DATE',
  'TIME',
  'TIMESTAMP',
  'TIMESTAMPTZ',
  'UUID',
  'BLOB',
  'JSON',
] as const
export type PlainKind = (typeof plainKinds)[number]

export type ColumnType =
  | { readonly kind: PlainKind }
  | { readonly kind: 'DECIMAL'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'LIST'; readonly element: ColumnType }

const aliases: Readonly<Record<string, PlainKind>> = {
  TEXT: 'VARCHAR',
  STRING: 'VARCHAR',
  BOOL: 'BOOLEAN',
  INT: 'INTEGER',
  INT32: 'INTEGER',
  INT64: 'BIGINT',
  LONG: 'BIGINT',
  REAL: 'FLOAT',
  FLOAT32: 'FLOAT',
  FLOAT64: 'DOUBLE',
  DATETIME: 'TIMESTAMP',
}

/** The types as an error message lists them. */
export const columnTypeNames = `${plainKinds.join(', ')}, HUGEINT, DECIMAL(p,s) and lists such as VARCHAR[]; aliases ${Object.keys(aliases).join(', ')}`

/** At most so many digits, the limit of DuckDB's and Arrow's 128-bit decimals. */
const maxPrecision = 38

/**
 * Reads a type name in any case; `undefined` when there is no such type.
 * HUGEINT is DECIMAL(38,0), DECIMAL alone is DECIMAL(18,3) as in DuckDB.
 */
export function parseColumnType(text: string): ColumnType | undefined {
  const name = text.trim().toUpperCase()
  if (name.endsWith('[]')) {
    const element = parseColumnType(name.slice(0, -2))
    // A list of lists is in no hunt's table and in no reader's common ground.
    return element === undefined || element.kind === 'LIST' ? undefined : { kind: 'LIST', element }
  }
  const kind =
    plainKinds.find((plain) => plain === name) ?? (Object.hasOwn(aliases, name) ? aliases[name] : undefined)
  if (kind !== undefined) return { kind }
  if (name === 'HUGEINT') return { kind: 'DECIMAL', precision: maxPrecision, scale: 0 }
  const decimal = /^(?:DECIMAL|NUMERIC)(?:\s*\(\s*(\d{1,2})\s*(?:,\s*(\d{1,2})\s*)?\))?$/.exec(name)
  if (decimal === null) return undefined
  const precision = decimal[1] === undefined ? 18 : Number(decimal[1])
  const scale = decimal[1] === undefined ? 3 : Number(decimal[2] ?? 0)
  return precision >= 1 && precision <= maxPrecision && scale <= precision
    ? { kind: 'DECIMAL', precision, scale }
    : undefined
}

/** The canonical spelling, the one in specs and manifests. */
export function columnTypeName(type: ColumnType): string {
  if (type.kind === 'LIST') return `${columnTypeName(type.element)}[]`
  if (type.kind === 'DECIMAL') return `DECIMAL(${type.precision},${type.scale})`
  return type.kind
}
