import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** How the answer to a call went: served, late but served, or not. */
export type Fate = 'served' | 'slow' | 'error' | 'limited' | 'dropped' | 'cut' | 'hung'

/** A call of a page, as its source saw it. */
export interface PageCall {
  /** Milliseconds since the epoch. */
  t: number
  run: string
  table: string
  /** Number of the page's first row. */
  at: number
  /** Who asked. */
  worker: string
  fate: Fate
}

/** One line, written with one `write` to a file opened for appending: processes do not tear each other's lines. */
export function appendCall(file: string, call: PageCall): void {
  appendFileSync(file, `${JSON.stringify(call)}\n`)
}

export function readCalls(file: string): PageCall[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line): PageCall => JSON.parse(line))
}

export const wasServed = ({ fate }: PageCall): boolean => fate === 'served' || fate === 'slow'
