import type { ColumnType } from '@huntfleet/contract'
import { ByteWriter, type SchemaElement } from 'hyparquet-writer'
import { writeColumn } from 'hyparquet-writer/src/column.js'
import { encodeNestedValues } from 'hyparquet-writer/src/dremel.js'
import { schemaPathResolver } from 'hyparquet-writer/src/schema.js'
import type { CellValue } from '../coerce/cell-value.ts'
import { type CellBatch, form } from './cell-batch.ts'
import { cellSize } from './cell-size.ts'
import type { ColumnWriter, EncodedChunk } from './column-writer.ts'
import type { PageCompressor } from './compression.ts'
import { pageBytes } from './value-encoder.ts'

type SchemaPath = Parameters<typeof encodeNestedValues>[0]

/** Encodes a list column with hyparquet-writer, which knows nested columns: the row group's cells are held until it ends. */
export class ListColumn implements ColumnWriter {
  readonly #path: SchemaPath
  readonly #element: SchemaElement
  readonly #isFloat: boolean
  readonly #compressor: PageCompressor
  #cells: CellValue[] = []
  bytes = 0

  constructor(
    name: string,
    type: ColumnType & { kind: 'LIST' },
    schema: SchemaElement[],
    compressor: PageCompressor,
  ) {
    this.#path = leafPath(schemaPathResolver(schema)([name]))
    this.#element = this.#path.at(-1)?.element ?? { name }
    this.#isFloat = type.element.kind === 'FLOAT' || type.element.kind === 'DOUBLE'
    this.#compressor = compressor
  }

  append({ forms, cells }: CellBatch, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const cell = forms[at] === form.none ? null : (cells[at] ?? null)
      this.#cells.push(cell)
      this.bytes += cellSize(cell)
    }
  }

  takeChunk(offset: number): EncodedChunk {
    const writer = new ByteWriter(Math.ceil(this.bytes / 2) + 1024)
    writer.offset = offset
    const { codec, compress } = this.#compressor
    const schemaPath = this.#path.map((node) => node.element)
    const { chunk, columnIndex, offsetIndex } = writeColumn({
      writer,
      pageData: encodeNestedValues(this.#path, this.#cells),
      column: {
        columnName: schemaPath
          .slice(1)
          .map((node) => node.name)
          .join('.'),
        element: this.#element,
        schemaPath,
        codec,
        compressors: codec === 'UNCOMPRESSED' ? {} : { [codec]: compress },
        pageSize: pageBytes,
        offsetIndex: true,
        // Floats as in flat columns: no dictionary, since it makes −0 and 0 one value, and no bounds where NaN may be.
        stats: !this.#isFloat,
        columnIndex: !this.#isFloat,
        ...(this.#isFloat ? { encoding: 'PLAIN' } : {}),
      },
    })
    this.#cells = []
    this.bytes = 0
    return {
      parts: [writer.getBytes()],
      chunk,
      ...(columnIndex === undefined ? {} : { columnIndex }),
      ...(offsetIndex === undefined ? {} : { offsetIndex }),
    }
  }
}

/** From the column down to the values of its lists. */
function leafPath(column: SchemaPath): SchemaPath {
  const path = [...column]
  for (let node = path.at(-1)?.children[0]; node !== undefined; node = node.children[0]) path.push(node)
  return path
}
