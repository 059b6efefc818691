import { type ExactArray, isExactArray } from '../json/exact.ts'
import { visibleText } from '../visible-text.ts'
import { readPythonLiteral } from './python-literal.ts'
import { truncationNotice } from './truncation-notice.ts'

/** A `Row N: [...]` line and the lines that continue it. */
export interface ListRow {
  number: number
  /** Null when the row could not be read; `fault` says why. */
  values: ExactArray | null
  fault: string
  raw: string
}

/** An answer of Python lists, its lines sorted by what they are. */
export interface ListAnswer {
  /** The names behind `Column Names:`. */
  header: string
  rows: readonly ListRow[]
  /** Lines that are neither the header nor part of a row. */
  outside: readonly string[]
}

const headerMark = 'Column Names:'
const rowMark = /^Row (\d+)(?::\s*|\s+(?=\[)|$)/i

/** Whether a line makes an answer the list form. */
export function isListHeader(line: string): boolean {
  return line.trimStart().startsWith(headerMark)
}

/** Sorts the lines of an answer. What follows a broken row belongs to it, up to a blank line or a known one. */
export function readListAnswer(lines: readonly string[]): ListAnswer {
  const reader = new ListAnswerReader()
  for (const line of lines) reader.take(line)
  return { header: reader.header ?? '', rows: reader.rows, outside: reader.outside }
}

class ListAnswerReader {
  header: string | null = null
  readonly rows: ListRow[] = []
  readonly outside: string[] = []
  /** Content blocks may have been joined; the rows under a second header with other names are not ours. */
  #foreign = false
  /** The row that the lines to come may still belong to. */
  #broken: ListRow | null = null

  take(raw: string): void {
    const line = raw.trim()
    const mark = rowMark.exec(line)
    if (isListHeader(line)) this.#takeHeader(line.slice(headerMark.length).trim())
    else if (mark !== null) this.#takeRow(Number(mark[1]), line.slice(mark[0].length), raw)
    else if (this.#broken !== null && line !== '' && truncationNotice([line]) === null)
      this.#broken.raw += `\n${raw}`
    else if (line.startsWith('[') && typeof readList(line) !== 'string') this.#takeBareList(raw)
    else {
      this.#broken = null
      if (line !== '') this.outside.push(line)
    }
  }

  #takeHeader(names: string): void {
    this.header ??= names
    this.#foreign = names !== this.header
    this.#broken = null
  }

  #takeRow(number: number, list: string, raw: string): void {
    const read = this.#foreign ? 'the row stands under a second header with other columns' : readList(list)
    const isFault = typeof read === 'string'
    const row: ListRow = { number, values: isFault ? null : read, fault: isFault ? read : '', raw }
    this.rows.push(row)
    this.#broken = isFault ? row : null
  }

  /** A list must not pass for prose because its mark is missing; whether it is a row nobody knows. */
  #takeBareList(raw: string): void {
    const number = (this.rows.at(-1)?.number ?? 0) + 1
    this.rows.push({ number, values: null, fault: 'the list has no "Row N:" before it', raw })
  }
}

/** The values of a row, or what is wrong with it. */
function readList(text: string): ExactArray | string {
  const result = readPythonLiteral(text)
  if (result.fault !== undefined) return result.fault
  if (!isExactArray(result.value)) return 'the row is no list'
  const rest = text.slice(result.end).trim()
  return rest === '' ? result.value : `text follows the list: ${visibleText(rest, 60)}`
}

/** The sum of a count over the whole answer (joined content blocks have several); null when there is none. */
export function declaredCount({ outside }: ListAnswer, name: string): number | null {
  const counts = outside.map((line) => countOn(line, name)).filter((count) => count !== null)
  if (counts.length === 0) return null
  return name === 'Columns' ? (counts[0] ?? null) : counts.reduce((sum, count) => sum + count, 0)
}

/** The number on a line `<name>: <number>`; null on any other line. */
export function countOn(line: string, name: string): number | null {
  if (!line.startsWith(`${name}:`)) return null
  const count = Number(line.slice(name.length + 1).trim() || Number.NaN)
  return Number.isFinite(count) ? count : null
}
