const quote = 0x22
const feed = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const tab = 0x09

/** One record of a delimited text. */
export interface DelimitedRecord {
  /** A cell is null when it is empty and not quoted. */
  cells: (string | null)[]
  /** Offset behind the record, before its line end. */
  end: number
  fault: RecordFault | null
}

/** Why a text has no well-formed record at a place. */
export interface RecordFault {
  reason: string
  /** Offset of the end of the line on which the broken cell begins. */
  lineEnd: number
  /** Offset of the end of the line on which the fault showed; the lines between may have been part of the cell. */
  doubtfulEnd: number
}

/**
 * Reads the record that starts at `start` (RFC 4180): quoted cells keep line ends, a doubled quote is a quote, blanks
 * behind a closing quote are passed over. A quote inside an unquoted cell is a plain character, unless `strict`.
 */
export function readRecord(text: string, start: number, delimiter: string, strict: boolean): DelimitedRecord {
  const cells: (string | null)[] = []
  for (let at = start; ; at += delimiter.length) {
    const cellStart = at
    if (text.charCodeAt(at) === quote) {
      const close = closingQuote(text, at + 1)
      if (close < 0) return faulty(text, cellStart, text.length, 'a quote is never closed')
      at = skipBlanks(text, close + 1, delimiter)
      cells.push(unquoted(text.slice(cellStart + 1, close)))
    } else {
      at = cellEnd(text, at, delimiter)
      const cell = text.slice(cellStart, at)
      if (strict && cell.includes('"')) return faulty(text, cellStart, at, 'a quote stands inside a cell')
      cells.push(cell === '' ? null : cell)
    }
    if (text.startsWith(delimiter, at)) continue
    if (at < text.length && !isLineEnd(text, at)) {
      return faulty(text, cellStart, at, 'text follows a closing quote')
    }
    return { cells, end: at, fault: null }
  }
}

/** Offset of the end of the line that holds `at`. */
export function lineEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && !isLineEnd(text, end)) end++
  return end
}

/** Offset of the line after the one that ends at `end`: CRLF, LF and CR end a line. */
export function nextLine(text: string, end: number): number {
  const isPair = text.charCodeAt(end) === carriageReturn && text.charCodeAt(end + 1) === feed
  return Math.min(end + (isPair ? 2 : 1), text.length)
}

function faulty(text: string, cellStart: number, faultAt: number, reason: string): DelimitedRecord {
  const fault = { reason, lineEnd: lineEnd(text, cellStart), doubtfulEnd: lineEnd(text, faultAt) }
  return { cells: [], end: fault.lineEnd, fault }
}

function isLineEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === feed || code === carriageReturn
}

/** Offset of the quote that closes a cell; -1 when there is none. */
function closingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start)
  while (at >= 0 && text.charCodeAt(at + 1) === quote) at = text.indexOf('"', at + 2)
  return at
}

function unquoted(text: string): string {
  return text.includes('"') ? text.replaceAll('""', '"') : text
}

function skipBlanks(text: string, start: number, delimiter: string): number {
  let at = start
  for (; ; at++) {
    const code = text.charCodeAt(at)
    if ((code !== space && code !== tab) || text.startsWith(delimiter, at)) return at
  }
}

function cellEnd(text: string, start: number, delimiter: string): number {
  const first = delimiter.charCodeAt(0)
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === feed || code === carriageReturn) return at
    if (code === first && text.startsWith(delimiter, at)) return at
  }
  return text.length
}
