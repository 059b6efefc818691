/**
 * Response adapter for tables in TOON, a compact notation that some gateways use in place of JSON:
 *
 *     alerts[2]{id,host,severity,score}:
 *       AL-1,web-1,High,0.5
 *       AL-2,"db, 1",null,2
 *     total: 2
 *
 * One row per line of the first table. The length in the header is checked, so that a text that was cut off is an
 * error and not a short page. Nested arrays and objects are not read.
 */
type Cell = string | number | boolean | null

export default function toon(text: string): Record<string, Cell>[] {
  const lines = text.split(/\r?\n/)
  const at = lines.findIndex((line) => header.test(line))
  const [, indent = '', length = '', mark = '', names] = header.exec(lines[at] ?? '') ?? []
  if (at < 0)
    throw new Error(`there is no header like "name[2]{a,b}:"; the text begins: ${text.slice(0, 120)}`)
  if (names === undefined && length === '0') return []
  const delimiter = mark === '' ? ',' : mark
  const fields = cellsOf(names ?? '', delimiter).map(String)
  const rows: Record<string, Cell>[] = []
  for (const line of lines.slice(at + 1)) {
    if (!line.startsWith(`${indent} `) || line.trim() === '') break
    const cells = cellsOf(line.trim(), delimiter)
    if (cells.length !== fields.length) {
      throw new Error(`row ${rows.length + 1} has ${cells.length} values for ${fields.length} fields`)
    }
    rows.push(Object.fromEntries(fields.map((field, column) => [field, cells[column] ?? null])))
  }
  if (rows.length === Number(length)) return rows
  throw new Error(`the header says ${length} rows and ${rows.length} came`)
}

/** `name[length]{fields}:`, where a tab or a pipe behind the length takes the place of the comma. */
const header = /^( *)(?:[\w.]+|"[^"]*")?\[(\d+)([\t|])?\](?:\{(.+)\})?:\s*$/

/** A cell in quotes, or up to the next delimiter. */
function cellsOf(line: string, delimiter: string): Cell[] {
  const cells: Cell[] = []
  let at = 0
  for (;;) {
    const quoted = quotedCell(line, at)
    const end = quoted?.end ?? endOfPlain(line, at, delimiter)
    cells.push(quoted === undefined ? plainCell(line.slice(at, end).trim()) : quoted.text)
    if (end >= line.length) return cells
    if (line[end] !== delimiter) throw new Error(`text behind a closing quote: ${line.slice(end, end + 40)}`)
    at = end + 1
  }
}

function endOfPlain(line: string, from: number, delimiter: string): number {
  const end = line.indexOf(delimiter, from)
  return end < 0 ? line.length : end
}

function quotedCell(line: string, from: number): { text: string; end: number } | undefined {
  if (line[from] !== '"') return undefined
  let end = from + 1
  while (end < line.length && line[end] !== '"') end += line[end] === '\\' ? 2 : 1
  if (end >= line.length) throw new Error(`a quote that is not closed: ${line.slice(from, from + 40)}`)
  // The escapes of TOON are among those of JSON.
  const text: unknown = JSON.parse(line.slice(from, end + 1))
  return { text: String(text), end: end + 1 }
}

function plainCell(text: string): Cell {
  if (text === 'null') return null
  if (text === 'true' || text === 'false') return text === 'true'
  // Digits that a JavaScript number would round stay text; Huntfleet coerces both alike.
  return /^-?\d/.test(text) && String(Number(text)) === text ? Number(text) : text
}
