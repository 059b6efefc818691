import { type Data, DataType, makeVector, TimeUnit, type TypeMap, tableFromIPC } from 'apache-arrow'
import { readParquet } from 'parquet-wasm/node'
import type { CellValue } from '../../src/coerce/cell-value.ts'

/** A column as arrow-rs reads it (parquet-wasm), which follows the format to the letter. */
export function readByArrow(bytes: Uint8Array, column = 'c'): CellValue[] {
  const table = tableFromIPC<TypeMap>(readParquet(bytes).intoIPCStream())
  return cellsOf(table.getChild(column)?.data ?? [])
}

/** The cells of a column in Arrow's memory. */
export function cellsOf(chunks: readonly Data[]): CellValue[] {
  return chunks.flatMap((chunk) => Array.from({ length: chunk.length }, (_, row) => cellAt(chunk, row)))
}

/** A cell as we would have written it. What Arrow's own accessors would round is taken from memory. */
function cellAt(data: Data, row: number): CellValue {
  if (!data.getValid(row)) return null
  const { type } = data
  if (DataType.isList(type) || DataType.isLargeList(type)) {
    const [element] = data.children
    const [from, to] = [Number(data.valueOffsets[row]), Number(data.valueOffsets[row + 1])]
    if (element === undefined) throw new TypeError('a list without elements')
    return Array.from({ length: to - from }, (_, index) => cellAt(element, from + index))
  }
  if (DataType.isUtf8(type) || DataType.isBinary(type)) {
    const value = data.values.slice(data.valueOffsets[row], data.valueOffsets[row + 1])
    return DataType.isUtf8(type) ? Buffer.from(value).toString() : Uint8Array.from(value)
  }
  if (DataType.isFixedSizeBinary(type)) {
    return uuidOf(data.values.slice(16 * row, 16 * row + 16))
  }
  if (DataType.isBool(type)) {
    const bit = data.offset + row
    return ((data.values[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0
  }
  if (DataType.isDecimal(type)) {
    const words = Array.from(data.values.slice(4 * row, 4 * row + 4), Number)
    return BigInt.asIntN(
      128,
      words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n),
    )
  }
  if (DataType.isUtf8View(type) || DataType.isBinaryView(type)) {
    const value: unknown = makeVector(data).get(row)
    if (typeof value === 'string') return value
    if (value instanceof Uint8Array) return Uint8Array.from(value)
  }
  return numberAt(data, row)
}

/** Numbers, and times, which polars counts in nanoseconds. */
function numberAt({ type, values }: Data, row: number): number | bigint {
  const value: unknown = values[row]
  if (DataType.isTime(type) && type.unit === TimeUnit.NANOSECOND && typeof value === 'bigint')
    return value / 1_000n
  if (typeof value === 'number' || typeof value === 'bigint') return value
  throw new TypeError(`no cell of ours is read as ${String(type)}`)
}

/** The text of a UUID of 16 bytes. */
export function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
