import { type Json, type PagedSpec, RunError } from '@huntfleet/contract'
import { z } from 'zod'
import { fingerprintOf } from '../fingerprint.ts'
import { toPlain } from '../json/to-plain.ts'
import { ended, type PageFacts, type Paginator } from '../paginator.ts'
import { compilePath, readPath } from '../path.ts'
import { firstCount, judgePage, pageCount, readState } from './page-count.ts'

type KeysetSpec = Extract<PagedSpec, { mode: 'keyset' }>

const keysetState = pageCount.extend({ cursor: z.json() })

/** The next page begins behind the last row of the one before (`search_after`). */
export function keyset(spec: KeysetSpec): Paginator {
  const paths = spec.cursorFromLast.map(compilePath)
  /** The key of the last row, as the source wants it back. */
  const keyOf = (facts: PageFacts): Json => {
    const values = paths.map((path, i): Json => {
      const value = facts.lastRow === undefined ? undefined : readPath(facts.lastRow, path)
      if (value !== undefined && value !== null) return toPlain(value)
      throw new RunError(
        'ITEMS_NOT_FOUND',
        `the last row has no ${JSON.stringify(spec.cursorFromLast[i])}, which pagination.cursor_from_last needs for the next page`,
        {
          hint: 'name a field that every row has, and ask the tool for it',
        },
      )
    })
    return spec.single ? (values[0] ?? null) : values
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
