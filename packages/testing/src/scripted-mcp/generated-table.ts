import { atDotPath, isRecord } from './dot-path.ts'
import type { GeneratedTable, TablePaging } from './script.ts'

/** A page of a generated table, as the text of a block or as structured content. */
export function tablePage(table: GeneratedTable, args: Record<string, unknown>): TablePage {
  const { offset, limit } = window(table.page, args)
  const end = Math.min(table.rows, offset + limit)
  const rows: unknown[] = []
  for (let i = offset; i < end; i += 1) rows.push(fill(table.row, i))
  switch (table.as ?? 'json') {
    case 'csv':
      return { text: csv(rows) }
    case 'ndjson':
      return { text: rows.map((row) => JSON.stringify(row)).join('\n') }
    case 'structured':
      return { structured: enveloped(table, rows, end) }
    case 'json':
      return { text: JSON.stringify(enveloped(table, rows, end)) }
  }
}

export type TablePage = { text: string } | { structured: unknown }

function enveloped(table: GeneratedTable, rows: unknown[], end: number): unknown {
  const { items, total, nextCursor, hasMore } = table.envelope ?? {}
  if (items === undefined) return rows
  return {
    [items]: rows,
    ...(total !== undefined && { [total]: table.rows }),
    ...(hasMore !== undefined && { [hasMore]: end < table.rows }),
    ...(nextCursor !== undefined && { [nextCursor]: end < table.rows ? cursorAt(end) : null }),
  }
}

function window(
  page: TablePaging | undefined,
  args: Record<string, unknown>,
): { offset: number; limit: number } {
  if (page === undefined) return { offset: 0, limit: Number.POSITIVE_INFINITY }
  const asked = count(atDotPath(args, page.limit)) ?? page.defaultLimit ?? 100
  const limit = Math.max(1, Math.min(asked, page.maxLimit ?? Number.POSITIVE_INFINITY))
  switch (page.by) {
    case 'offset':
      return { offset: count(atDotPath(args, page.offset)) ?? 0, limit }
    case 'page': {
      const start = page.start ?? 1
      return { offset: ((count(atDotPath(args, page.page)) ?? start) - start) * limit, limit }
    }
    case 'cursor':
      return { offset: offsetOf(atDotPath(args, page.cursor)), limit }
  }
}

/** Numbers and digit strings; anything else is no count. */
function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : undefined
}

/** Opaque to the client, as cursors should be, and still readable in a debugger. */
function cursorAt(offset: number): string {
  return Buffer.from(`at:${offset}`).toString('base64url')
}

function offsetOf(cursor: unknown): number {
  if (typeof cursor !== 'string' || cursor === '') return 0
  const match = /^at:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())
  // An unknown cursor silently starts at the beginning: that is what the ClickHouse server does.
  return Number(match?.[1] ?? 0)
}

function fill(template: unknown, i: number): unknown {
  if (typeof template === 'string') return fillText(template, i)
  if (Array.isArray(template)) return template.map((value) => fill(value, i))
  if (!isRecord(template)) return template
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fill(value, i)]))
}

const placeholder = /\$i(?:([%*+])(\d+))?/g

function fillText(text: string, i: number): string | number {
  const alone = /^\$i(?:([%*+])(\d+))?$/.exec(text)
  if (alone) return calculate(i, alone[1], alone[2])
  return text.replace(placeholder, (_, operator?: string, operand?: string) =>
    String(calculate(i, operator, operand)),
  )
}

function calculate(i: number, operator: string | undefined, operand: string | undefined): number {
  if (operator === '%') return i % Number(operand)
  if (operator === '*') return i * Number(operand)
  return operator === '+' ? i + Number(operand) : i
}

function csv(rows: readonly unknown[]): string {
  const records = rows.filter(isRecord)
  const header = Object.keys(records[0] ?? {})
  const lines = records.map((record) => header.map((key) => cell(record[key])).join(','))
  return [header.map(cell).join(','), ...lines].join('\r\n')
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return /[",\r\n]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text
}
