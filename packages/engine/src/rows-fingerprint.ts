import { createHash } from 'node:crypto'
import { compactJson } from './json/compact.ts'
import type { RowReject, SourceRow } from './source-row.ts'

/** A hash of the texts that carry a page's rows: 32 hex digits of SHA-256. Same rows, same hash. */
export function textsFingerprint(texts: readonly string[]): string {
  const hash = createHash('sha256')
  // The length keeps ["ab"] and ["a", "b"] apart.
  for (const text of texts) hash.update(`${text.length}\n`).update(text)
  return hash.digest('hex').slice(0, 32)
}

/** The same of rows whose own text is not known, rejects included. */
export function rowsFingerprint(rows: readonly SourceRow[], rejects: readonly RowReject[]): string {
  const hash = createHash('sha256')
  for (const row of rows) hash.update(compactJson(row)).update('\n')
  for (const reject of rejects) if (!reject.stored) hash.update(reject.raw).update('\n')
  return hash.digest('hex').slice(0, 32)
}
