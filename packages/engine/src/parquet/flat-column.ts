import { ByteWriter, type SchemaElement } from 'hyparquet-writer'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { unconvertMinMax } from 'hyparquet-writer/src/unconvert.js'
import type { CellBatch } from './cell-batch.ts'
import type { ChunkMetadata, ColumnChunk, ColumnWriter, EncodedChunk, IndexedChunk } from './column-writer.ts'
import type { PageCompressor } from './compression.ts'
import { DefinitionLevels } from './levels.ts'
import { type Bound, type PageValues, pageBytes, type ValueEncoder } from './value-encoder.ts'

/** A page ends after so many rows at the latest, so that its bounds stay worth reading. */
const pageRows = 20_000

/** Bounds of JSON cannot be cut; longer ones would bloat the footer and are left out. */
const jsonBoundBytes = 128

type PageHeader = Parameters<typeof writePageHeader>[1]

interface FinishedPage {
  header: Uint8Array
  body: Uint8Array
  rows: number
  nulls: number
  min: Uint8Array | undefined
  max: Uint8Array | undefined
}

let scratch = new Uint8Array(1 << 20)

/** Memory for a page that is compressed at once, so that not every page takes new memory. */
function scratchOf(length: number): Uint8Array {
  if (scratch.length < length) scratch = new Uint8Array(2 * length)
  return scratch.subarray(0, length)
}

/** Encodes a column of any type but lists: each page is compressed as soon as it is full. */
export class FlatColumn implements ColumnWriter {
  readonly #name: string
  readonly #element: SchemaElement
  readonly #encoder: ValueEncoder
  readonly #compressor: PageCompressor
  readonly #levels = new DefinitionLevels()
  #pages: FinishedPage[] = []
  #finishedBytes = 0
  #plainPages = 0
  #bounds = new ChunkBounds()

  constructor(element: SchemaElement, encoder: ValueEncoder, compressor: PageCompressor) {
    this.#name = element.name
    this.#element = element
    this.#encoder = encoder
    this.#compressor = compressor
  }

  get bytes(): number {
    return this.#finishedBytes + this.#encoder.size
  }

  append(batch: CellBatch, from: number, to: number): void {
    let at = from
    while (at < to) {
      const wanted = Math.min(to, at + pageRows - this.#levels.rows)
      const end = this.#encoder.append(batch, at, wanted)
      this.#levels.append(batch.forms, at, end)
      at = end
      if (this.#levels.rows >= pageRows || this.#encoder.size >= pageBytes) this.#finishPage()
    }
  }

  #finishPage(): void {
    const { rows, nulls } = this.#levels
    const levels = this.#levels.take()
    const values = this.#encoder.takePage()
    const raw = scratchOf(levels.length + values.bytes.length)
    raw.set(levels)
    raw.set(values.bytes, levels.length)
    const { header, body } = this.#compressed(raw, {
      type: 'DATA_PAGE',
      data_page_header: {
        num_values: rows,
        encoding: values.encoding,
        definition_level_encoding: 'RLE',
        repetition_level_encoding: 'RLE',
      },
    })
    const min = boundBytes(values.min, this.#element, false)
    const max = boundBytes(values.max, this.#element, true)
    this.#pages.push({ header, body, rows, nulls, min, max })
    this.#bounds.add(values, nulls)
    this.#finishedBytes += raw.length
    if (values.encoding === 'PLAIN') this.#plainPages++
  }

  #compressed(
    raw: Uint8Array,
    header: Omit<PageHeader, 'uncompressed_page_size' | 'compressed_page_size'>,
  ): { header: Uint8Array; body: Uint8Array } {
    const body = this.#compressor.compress(raw)
    const writer = new ByteWriter(64)
    writePageHeader(writer, {
      ...header,
      uncompressed_page_size: raw.length,
      compressed_page_size: body.length,
    })
    return { header: writer.getBytes(), body }
  }

  takeChunk(offset: number): EncodedChunk {
    if (this.#levels.rows > 0) this.#finishPage()
    const pages = this.#pages
    const values = this.#encoder.takeDictionary()
    const dictionary =
      values === null
        ? null
        : this.#compressed(values.bytes, {
            type: 'DICTIONARY_PAGE',
            dictionary_page_header: { num_values: values.values, encoding: 'PLAIN' },
          })
    const parts: Uint8Array[] = dictionary === null ? [] : [dictionary.header, dictionary.body]
    const dataOffset = offset + sizeOf(parts)
    const locations = pageLocations(pages, dataOffset)
    for (const page of pages) parts.push(page.header, page.body)
    const headerBytes = pages.reduce((sum, page) => sum + page.header.length, 0)
    const dictionaryBytes = dictionary === null ? 0 : dictionary.header.length + (values?.bytes.length ?? 0)
    const metadata: ChunkMetadata = {
      type: this.#element.type ?? 'BYTE_ARRAY',
      ...this.#encodings(dictionary !== null, pages.length),
      path_in_schema: [this.#name],
      codec: this.#compressor.codec,
      num_values: BigInt(pages.reduce((sum, page) => sum + page.rows, 0)),
      total_uncompressed_size: BigInt(this.#finishedBytes + headerBytes + dictionaryBytes),
      total_compressed_size: BigInt(sizeOf(parts)),
      data_page_offset: BigInt(dataOffset),
      ...(dictionary === null ? {} : { dictionary_page_offset: BigInt(offset) }),
      statistics: this.#bounds.statistics(this.#element),
    }
    const chunk: ColumnChunk = { file_offset: BigInt(offset), meta_data: metadata }
    const columnIndex = this.#bounds.unordered ? undefined : columnIndexOf(pages)
    this.#pages = []
    this.#finishedBytes = 0
    this.#plainPages = 0
    this.#bounds = new ChunkBounds()
    return {
      parts,
      chunk,
      offsetIndex: { page_locations: locations },
      ...(columnIndex === undefined ? {} : { columnIndex }),
    }
  }

  #encodings(hasDictionary: boolean, pages: number): Pick<ChunkMetadata, 'encodings' | 'encoding_stats'> {
    const referring = pages - this.#plainPages
    const data = 'DATA_PAGE' as const
    return {
      encodings: [
        'RLE',
        ...(hasDictionary || this.#plainPages > 0 ? (['PLAIN'] as const) : []),
        ...(referring > 0 ? (['RLE_DICTIONARY'] as const) : []),
      ],
      encoding_stats: [
        ...(hasDictionary
          ? [{ page_type: 'DICTIONARY_PAGE' as const, encoding: 'PLAIN' as const, count: 1 }]
          : []),
        ...(referring > 0
          ? [{ page_type: data, encoding: 'RLE_DICTIONARY' as const, count: referring }]
          : []),
        ...(this.#plainPages > 0
          ? [{ page_type: data, encoding: 'PLAIN' as const, count: this.#plainPages }]
          : []),
      ],
    }
  }
}

/** Smallest and largest value of a column chunk, as its pages are added. */
class ChunkBounds {
  #min: Bound | undefined
  #max: Bound | undefined
  #nulls = 0
  /**
   * With a NaN among them, values have no bounds: the format leaves NaN out of those, and DuckDB, to whom it is the
   * largest value, would skip the row group that holds it.
   */
  unordered = false

  add(page: PageValues, nulls: number): void {
    this.#nulls += nulls
    this.unordered ||= page.unordered
    if (page.min !== undefined && (this.#min === undefined || compareBounds(page.min, this.#min) < 0))
      this.#min = page.min
    if (page.max !== undefined && (this.#max === undefined || compareBounds(page.max, this.#max) > 0))
      this.#max = page.max
  }

  statistics(element: SchemaElement): NonNullable<ChunkMetadata['statistics']> {
    const nulls = { null_count: BigInt(this.#nulls) }
    const min = physicalBound(this.#min, element)
    const max = physicalBound(this.#max, element)
    if (this.unordered || min === undefined || max === undefined) return nulls
    if (!isText(element, min) || !isText(element, max)) return { ...nulls, min_value: min, max_value: max }
    // Cut here and not when the footer is written, so that no long text is held until then.
    const shortMin = unconvertMinMax(min, element, false) ?? min
    const shortMax = unconvertMinMax(max, element, true) ?? max
    return {
      ...nulls,
      min_value: shortMin,
      max_value: shortMax,
      ...(shortMin.length < min.length ? { is_min_value_exact: false } : {}),
      ...(shortMax === max ? {} : { is_max_value_exact: false }),
    }
  }
}

function isText(element: SchemaElement, bound: Exclude<Bound, never>): bound is Uint8Array {
  return element.type === 'BYTE_ARRAY' && bound instanceof Uint8Array
}

function compareBounds(a: Bound, b: Bound): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  return a < b ? -1 : a > b ? 1 : 0
}

/** The bound as hyparquet-writer takes it, to whom a decimal is unscaled only as bigint. */
function physicalBound(bound: Bound | undefined, element: SchemaElement): Bound | undefined {
  if (typeof bound === 'number' && element.logical_type?.type === 'DECIMAL') return BigInt(bound)
  if (element.logical_type?.type === 'JSON' && bound instanceof Uint8Array && bound.length > jsonBoundBytes)
    return undefined
  return bound
}

function boundBytes(
  bound: Bound | undefined,
  element: SchemaElement,
  isMax: boolean,
): Uint8Array | undefined {
  return unconvertMinMax(physicalBound(bound, element), element, isMax)
}

function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0)
}

function pageLocations(
  pages: readonly FinishedPage[],
  start: number,
): NonNullable<IndexedChunk['offsetIndex']>['page_locations'] {
  let offset = start
  let row = 0
  return pages.map(({ header, body, rows }) => {
    const size = header.length + body.length
    const location = {
      offset: BigInt(offset),
      compressed_page_size: size,
      first_row_index: BigInt(row),
    }
    offset += size
    row += rows
    return location
  })
}

/** Bounds and nulls by page; undefined when a page with values has no bounds, which the index cannot say. */
function columnIndexOf(pages: readonly FinishedPage[]): IndexedChunk['columnIndex'] {
  if (pages.some((page) => page.nulls < page.rows && (page.min === undefined || page.max === undefined)))
    return undefined
  const nothing = new Uint8Array()
  return {
    null_pages: pages.map((page) => page.nulls === page.rows),
    min_values: pages.map((page) => page.min ?? nothing),
    max_values: pages.map((page) => page.max ?? nothing),
    // No order is claimed: readers gain little from one, and cut bounds do not prove it.
    boundary_order: 'UNORDERED',
    null_counts: pages.map((page) => BigInt(page.nulls)),
  }
}
