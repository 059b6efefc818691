import { toExact } from '../../src/json/to-exact.ts'
import type { PageFacts } from '../../src/paginator.ts'
import { compilePath, readPath } from '../../src/path.ts'
import { rowsFingerprint } from '../../src/rows-fingerprint.ts'
import type { SourceRow } from '../../src/source-row.ts'

/** What a paginator may know of a page with rows of these ids and this JSON around them. */
export function pageOf(
  ids: readonly (number | string)[],
  around: Record<string, unknown> = {},
  more: Partial<PageFacts> = {},
): PageFacts {
  const rows = ids.map((id): SourceRow => new Map([['id', id]]))
  const envelope = toExact(around)
  return {
    items: rows.length,
    find: (path) => readPath(envelope, compilePath(path)),
    match: () => undefined,
    lastRow: rows.at(-1),
    fingerprint: rowsFingerprint(rows, []),
    truncation: null,
    ...more,
  }
}

/** So many ids from here on. */
export const idsFrom = (start: number, count: number) => Array.from({ length: count }, (_, n) => start + n)

/** The page of ten rows with this number, from 0. */
export const tenRows = (number: number, around: Record<string, unknown> = {}) =>
  pageOf(idsFrom(number * 10, 10), around)
