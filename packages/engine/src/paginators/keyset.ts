import { type Json, type PagedSpec, RunError } from '@huntfleet/contract'
import { z } from 'zod'
import { fingerprintOf } from '../fingerprint.ts'
import { toPlain } from '../json/to-plain.ts'
import { ended, type LastPage, type PageFacts, type Paginator } from '../paginator.ts'
import { compilePath, readPath } from '../path.ts'
import { firstCount, judgePage, pageCount, readState } from './page-count.ts'

type KeysetSpec = Extract<PagedSpec, { mode: 'keyset' }>

const keysetState = pageCount.extend({ cursor: z.json() })

/** The next page begins behind the last row of the one before (`search_after`). */
export function keyset(spec: KeysetSpec): Paginator {
  const paths = spec.cursorFromLast.map(compilePath)
  /** The key of the last row, as the source wants it back; undefined when the row lacks a part of it. */
  const keyOf = ({ lastRow }: PageFacts): Json | undefined => {
    const values = paths.map((path) => (lastRow === undefined ? undefined : readPath(lastRow, path)))
    const found = values.flatMap((value) => (value === undefined || value === null ? [] : [toPlain(value)]))
    if (found.length < paths.length) return undefined
    return spec.single ? found[0] : found
  }
  return {
    first: () => ({ ...firstCount(spec), cursor: null }),
    request(state) {
      const { page, received, cursor } = readState(keysetState, state)
      return {
        params: [
          ...(spec.limitParam === null ? [] : [{ path: spec.limitParam, value: spec.pageSize }]),
          ...(spec.cursorParam === null || cursor === null
            ? []
            : [{ path: spec.cursorParam, value: cursor }]),
        ],
        variables: {
          'page.cursor': cursor,
          'page.limit': spec.pageSize,
          'page.number': page + 1,
          'page.offset': received,
        },
        following: page > 0,
        at: cursor === null ? null : fingerprintOf(JSON.stringify(cursor)),
      }
    },
    next(state, facts) {
      const now = readState(keysetState, state)
      const verdict = judgePage(spec, now, facts)
      if (verdict.kind === 'end') return verdict.end
      const cursor = keyOf(facts)
      if (cursor === undefined) return keyMissing(spec)
      if (JSON.stringify(cursor) === JSON.stringify(now.cursor)) {
        return ended(
          'cursor_repeated',
          `two pages end with the same key ${JSON.stringify(cursor)}: rows behind it cannot be reached`,
        )
      }
      return { more: true, state: { ...verdict.count, cursor } }
    },
  }
}

/** The rows that came are good, but there is no way to the next page. */
function keyMissing({ cursorFromLast }: KeysetSpec): LastPage {
  const message = `the last row has no ${cursorFromLast.join(' or no ')}, which pagination.cursor_from_last needs for the next page`
  const hint = 'name fields that every row has, and ask the tool for them'
  return { ...ended('page_error', message), error: new RunError('ITEMS_NOT_FOUND', message, { hint }) }
}
