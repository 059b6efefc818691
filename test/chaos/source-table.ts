import { createHash } from 'node:crypto'

/**
 * What every source holds, as a function of run, table and row number: the sources serve it and the oracle knows it.
 * A row names its run and its table, so that one in the wrong file is found.
 */
export interface TableShape {
  /** Which server of the project serves it. */
  server: 'web' | 'program'
  paging: 'offset' | 'cursor'
  /** Whether its answers count the rows of the whole table. */
  total: boolean
}

export const tables: Readonly<Record<string, TableShape>> = {
  web_offset: { server: 'web', paging: 'offset', total: false },
  web_cursor: { server: 'web', paging: 'cursor', total: false },
  program_offset: { server: 'program', paging: 'offset', total: true },
  program_cursor: { server: 'program', paging: 'cursor', total: false },
}

export const pageSize = 40
const mostPages = 15

export interface SourceRow {
  i: number
  key: string
  /** RFC 3339. */
  at: string
  text: string
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Rows of a table in a run: none, less than a page, an exact multiple of a page, and anything between. */
export function tableSize(run: string, table: string): number {
  const bytes = digest(`${run}/${table}`)
  const pages = bytes.readUInt16BE(0) % (mostPages + 1)
  const rest = bytes.readUInt16BE(2) % 3 === 0 ? 0 : bytes.readUInt16BE(4) % pageSize
  return pages * pageSize + rest
}

/** In every sixth run a table has rows of 28 kB that do not compress, so that it outgrows what a checkpoint keeps. */
const wide = (run: string, table: string): boolean =>
  table === 'web_cursor' && digest(run).readUInt8(0) % 6 === 0

export function sourceRow(run: string, table: string, i: number): SourceRow {
  const key = `${run}/${table}/${i}`
  const outputLength = wide(run, table) ? 21_000 : 24 * (1 + (i % 4))
  const text = createHash('shake256', { outputLength }).update(key).digest('base64')
  return { i, key, at: new Date(Date.UTC(2026, 0, 1) + i * 1_000).toISOString(), text }
}
