import type { Format } from '../format.ts'
import { decodeEntities } from './html-entities.ts'
import { type HtmlToken, htmlTokens } from './html-tokens.ts'
import { saysNoResults } from './no-results.ts'
import { pageText } from './page-text.ts'
import { pageOfTables, type TableRecord, type TextTable, type TextWithTables } from './text-table.ts'
import { uniqueNames } from './unique-names.ts'

/**
 * Tables of an HTML text. The first row with cells, `th` or `td`, is the header. Tags inside a cell are dropped,
 * `<br>` is a line end, character references are replaced, blanks around a cell are trimmed, an empty cell is null.
 * End tags may be missing as in HTML. A table whose first row has spanning cells has no header. A row with a cell that spans several columns or rows is a reject, and so are
 * the rows below that it reaches into: their cells have no sure column. The text around the tables is the remainder,
 * as it is written.
 */
export const htmlTable: Format = (text, context) => {
  const reader = new HtmlTableReader(pageText(text))
  const page = pageOfTables('html_table', reader.read(), context)
  if (reader.cutOff) page.notes.push('the HTML ends inside a table or a tag')
  return page
}

interface OpenRow {
  cells: string[]
  start: number
  /** Whether a cell spans columns or rows. */
  spans: boolean
  /** How many rows the tallest cell covers. */
  height: number
}

interface OpenTable {
  names: string[] | null
  records: TableRecord[]
  /** Rows to come that a cell above reaches into. */
  covered: number
}

const noSpan = 1

class HtmlTableReader {
  cutOff = false
  readonly #text: string
  readonly #tables: TextTable[] = []
  readonly #strays: TableRecord[] = []
  readonly #remainder: string[] = []
  #prose = ''
  /** 0 outside, 1 inside a table; a table inside a cell is text of the cell. */
  #depth = 0
  #table: OpenTable = { names: null, records: [], covered: 0 }
  #row: OpenRow | null = null
  #cell: string[] | null = null

  constructor(text: string) {
    this.#text = text
  }

  read(): TextWithTables {
    for (const token of htmlTokens(this.#text)) {
      if (token.kind === 'cut') this.#endCut(token)
      else if (token.kind === 'text') this.#addText(token)
      else if (token.name === 'table') this.#turnTable(token)
      else if (this.#depth === 0) this.#remainder.push(this.#source(token))
      else this.#turnTag(token)
    }
    if (this.#depth > 0) this.#endCut(null)
    const remainder = this.#remainder.join('')
    return { tables: this.#tables, strays: this.#strays, remainder, prose: this.#prose }
  }

  #source(token: HtmlToken): string {
    return this.#text.slice(token.start, token.end)
  }

  #addText(token: HtmlToken): void {
    const source = this.#source(token)
    if (this.#cell !== null) {
      this.#cell.push(decodeEntities(source))
    } else if (this.#depth === 0 || source.trim() !== '') {
      this.#remainder.push(source)
      this.#prose += decodeEntities(source)
    }
  }

  #turnTable(token: HtmlToken): void {
    if (token.kind === 'open') {
      if (this.#depth === 0) this.#table = { names: null, records: [], covered: 0 }
      this.#depth++
    } else if (this.#depth > 0) {
      this.#depth--
      if (this.#depth === 0) this.#endTable(token.start)
    }
  }

  #turnTag({ kind, name, attributes, start }: HtmlToken): void {
    if (name === 'br') this.#cell?.push('\n')
    if (this.#depth > 1) return
    if (name === 'tr') {
      this.#endRow(start, null)
      if (kind === 'open') this.#row = { cells: [], start, spans: false, height: noSpan }
    } else if (name === 'td' || name === 'th') {
      this.#endCell()
      if (kind === 'open') this.#openCell(attributes, start)
    }
  }

  #openCell(attributes: ReadonlyMap<string, string>, start: number): void {
    this.#row ??= { cells: [], start, spans: false, height: noSpan }
    const height = spanOf(attributes.get('rowspan'))
    if (height !== noSpan || spanOf(attributes.get('colspan')) !== noSpan) this.#row.spans = true
    this.#row.height = Math.max(this.#row.height, height)
    this.#cell = []
  }

  #endCell(): void {
    if (this.#cell !== null) this.#row?.cells.push(this.#cell.join('').trim())
    this.#cell = null
  }

  #endRow(end: number, cut: string | null): void {
    this.#endCell()
    const row = this.#row
    this.#row = null
    if (row === null || row.cells.length === 0) return
    const table = this.#table
    const covered = table.covered > 0
    table.covered = Math.max(table.covered - 1, row.height - 1)
    if (table.names === null && table.records.length === 0 && !row.spans && cut === null) {
      table.names = uniqueNames(row.cells)
      return
    }
    table.records.push({
      cells: row.cells.map((cell) => (cell === '' ? null : cell)),
      raw: this.#text.slice(row.start, end),
      fault: cut ?? (row.spans || covered ? 'a cell of the row spans several columns or rows' : null),
    })
  }

  #endTable(end: number): void {
    this.#endRow(end, null)
    const { names, records } = this.#table
    if (names === null) this.#strays.push(...records.map(withoutHeader))
    else this.#tables.push({ names, records: records.filter((record) => !isPlaceholder(record, records)) })
  }

  /** The text ends inside a tag or a table: a row that is open may have lost cells. */
  #endCut(token: HtmlToken | null): void {
    this.cutOff = true
    if (this.#depth === 0 && token !== null) {
      this.#remainder.push(this.#source(token))
      this.#prose += this.#source(token)
    } else if (this.#depth > 0) {
      this.#depth = 0
      this.#endRow(this.#text.length, 'the text ends inside the row')
      this.#endTable(this.#text.length)
    }
  }
}

/** What `colspan` and `rowspan` ask for; 0 is "to the end", which is no single cell either. */
function spanOf(attribute: string | undefined): number {
  if (attribute === undefined || !/^\s*\d{1,9}\s*$/.test(attribute)) return noSpan
  const span = Number(attribute)
  return span === 0 ? Number.MAX_SAFE_INTEGER : span
}

function withoutHeader(record: TableRecord): TableRecord {
  return { ...record, fault: record.fault ?? 'the row stands in a table without a header' }
}

/** A table without rows often says so in one wide cell. */
function isPlaceholder(record: TableRecord, records: readonly TableRecord[]): boolean {
  const [cell, other] = record.cells
  return records.length === 1 && other === undefined && typeof cell === 'string' && saysNoResults(cell)
}
