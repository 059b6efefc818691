/** A line taken apart at its pipes. */
export interface PipeRow {
  /** The trimmed text before, between and behind the pipes; `\|` is a pipe that separates nothing. */
  cells: string[]
  /** Whether the line begins, or ends, with a pipe, so that its first, or last, cell may be none. */
  opened: boolean
  closed: boolean
}

export function splitPipes(line: string): PipeRow {
  const text = line.trim()
  const cells: string[] = []
  let start = 0
  for (let at = text.indexOf('|'); at >= 0; at = text.indexOf('|', at + 1)) {
    if (text.charAt(at - 1) === '\\') continue
    cells.push(cellOf(text.slice(start, at)))
    start = at + 1
  }
  cells.push(cellOf(text.slice(start)))
  const closed = cells.length > 1 && start === text.length
  return { cells, opened: cells.length > 1 && text.startsWith('|'), closed }
}

/** The cells of a header: outer pipes hold no names. */
export function headerCells(row: PipeRow): string[] {
  return row.cells.slice(
    row.opened ? 1 : 0,
    row.closed && row.cells.length > (row.opened ? 2 : 1) ? -1 : undefined,
  )
}

/**
 * The cells of a row under a header: outer pipes are dropped where that gives the header's width or where the header
 * has them too. So an empty first cell stays one (`| b | c` under three names), and nothing shifts.
 * A row with the outer pipes of the header is read as the header is, however many cells it has.
 * Null when the pipes can be read in two ways.
 */
export function rowCells(row: PipeRow, width: number, header: PipeRow): string[] | null {
  const asHeader = dropped(row, header.opened, header.closed)
  const alike = header.opened && row.opened && header.closed && row.closed
  if (alike || asHeader.length === width) return asHeader
  const fitting = [dropped(row, false, false), dropped(row, true, true)]
  if (row.opened && row.closed) fitting.push(dropped(row, true, false), dropped(row, false, true))
  const [fit, other] = fitting.filter((cells) => cells.length === width)
  if (fit === undefined) return asHeader
  return other === undefined ? fit : null
}

function dropped({ cells, opened, closed }: PipeRow, first: boolean, last: boolean): string[] {
  const start = first && opened ? 1 : 0
  return cells.slice(start, last && closed && cells.length > start + 1 ? -1 : undefined)
}

function cellOf(text: string): string {
  return text.trim().replaceAll('\\|', '|')
}
