import polars from 'nodejs-polars'

/** A column as polars reads it; `cells` throws for types that its binding has no JavaScript value for. */
export function readByPolars(bytes: Uint8Array, column = 'c') {
  const series = polars.readParquet(Buffer.from(bytes)).getColumn(column)
  const cells = (): unknown[] => series.toArray()
  return { rows: series.length, nulls: series.nullCount(), cells }
}
