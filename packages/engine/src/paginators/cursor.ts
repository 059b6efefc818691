import type { Json, PagedSpec } from '@huntfleet/contract'
import { z } from 'zod'
import { fingerprintOf } from '../fingerprint.ts'
import { toPlain } from '../json/to-plain.ts'
import { complete, ended, type LastPage, type PageFacts, type Paginator } from '../paginator.ts'
import { capped, firstCount, hasMore, pageCount, readState, totalOf } from './page-count.ts'

type CursorSpec = Extract<PagedSpec, { mode: 'cursor' }>

/** Sources that scan send empty pages with fresh cursors; so many in a row end the table (SPEC section 8). */
const maxEmptyPages = 3

const cursorState = pageCount.extend({
  /** null: the first page. */
  cursor: z.json(),
  /** Hashes of all cursors used so far. */
  seen: z.array(z.string()),
  empty: z.int(),
  /** Fingerprint of the first page. */
  opening: z.string().nullable(),
})

/** The source names the next page. A short page never ends this mode. */
export function cursor(spec: CursorSpec): Paginator {
  return {
    first: () => ({ ...firstCount(spec), cursor: null, seen: [], empty: 0, opening: null }),
    request(state) {
      const { page, received, cursor: current } = readState(cursorState, state)
      return {
        params: [
          ...(spec.limitParam === null ? [] : [{ path: spec.limitParam, value: spec.pageSize }]),
          ...(spec.cursorParam === null || current === null
            ? []
            : [{ path: spec.cursorParam, value: current }]),
        ],
        variables: {
          'page.cursor': current,
          'page.limit': spec.pageSize,
          'page.number': page + 1,
          'page.offset': received,
        },
        following: page > 0,
        at: current === null ? null : fingerprintOf(JSON.stringify(current)),
      }
    },
    next(state, facts) {
      const now = readState(cursorState, state)
      const next = nextCursor(spec, facts)
      const received = now.received + facts.items
      const hash = next === null ? '' : fingerprintOf(JSON.stringify(next))
      const seen = now.cursor === null ? now.seen : [...now.seen, fingerprintOf(JSON.stringify(now.cursor))]
      const { empty, previous, opening } = now
      const known = [previous, opening]
      const last = endOf(spec, facts, { next, received, repeated: seen.includes(hash), empty, known })
      if (last !== undefined) return last
      return {
        more: true,
        state: {
          ...now,
          page: now.page + 1,
          received,
          previous: facts.fingerprint,
          opening: opening ?? facts.fingerprint,
          cursor: next,
          seen,
          empty: facts.items === 0 ? now.empty + 1 : 0,
        },
      }
    },
  }
}

/** The cursor that came with a page; null: none, which is the end. */
function nextCursor(spec: CursorSpec, facts: PageFacts): Json {
  const found = spec.nextCursorPath === null ? undefined : facts.find(spec.nextCursorPath)
  const value = found === undefined || found === null ? undefined : toPlain(found)
  const cursor = value ?? (spec.nextCursorPattern === null ? undefined : facts.match(spec.nextCursorPattern))
  return cursor === undefined || cursor === '' || cursor === false ? null : cursor
}

interface Here {
  next: Json
  received: number
  repeated: boolean
  empty: number
  /** Fingerprints of the page before and of the first page, which a source serves again when it starts over. */
  known: readonly (string | null)[]
}

function endOf(spec: CursorSpec, facts: PageFacts, here: Here): LastPage | undefined {
  const total = totalOf(spec, facts)
  const more = hasMore(spec, facts)
  /** What ends the fetch here, unless the source counts more rows than it gave. */
  const endWith = (last: LastPage) =>
    total !== undefined && here.received < total ? capped(here.received, total) : last
  if (more === false) return endWith(complete('the source says that no more pages follow', 'end_cursor'))
  if (here.next === null) {
    const end =
      more === true
        ? ended('source_capped', 'the source says that more rows follow, but sent no cursor for them')
        : complete('the source sent no further cursor', 'end_cursor')
    return endWith(end)
  }
  if (facts.items === 0) {
    const end = endAtEmptyPage(here, more === true)
    return end === undefined ? undefined : endWith(end)
  }
  if (here.repeated && here.known.includes(facts.fingerprint)) return endAtSamePage(spec)
  if (total !== undefined && here.received >= total && more !== true) {
    return complete(`all ${total} rows that the source counts were received`, 'total')
  }
  // A source whose cursor names the search and not the place in it sends the same one with every page.
  if (here.repeated && spec.repeatGuard === 'stop')
    return ended('cursor_repeated', 'the source sent a cursor that it had sent before')
  return undefined
}

/** The rows of an earlier page came with a cursor of an earlier page: the source ignores it, or has started over. */
function endAtSamePage(spec: CursorSpec): LastPage {
  const outcome = spec.repeatGuard === 'stop' ? 'cursor_repeated' : 'page_repeated'
  return {
    ...ended(outcome, 'a page repeats an earlier one, cursor included: the source does not move on'),
    discard: true,
  }
}

/** An empty page with a fresh cursor is followed, a few times. `more`: the source says that rows follow. */
function endAtEmptyPage(here: Here, more: boolean): LastPage | undefined {
  const inARow = here.empty + 1
  if (!here.repeated && inARow < maxEmptyPages) return undefined
  if (more) {
    return ended('source_capped', `the source says that more rows follow, but sent ${inARow} empty pages`)
  }
  if (here.repeated) return complete('an empty page came with the cursor it was asked for with', 'empty_page')
  return {
    ...complete(`${maxEmptyPages} empty pages came in a row`, 'empty_page'),
    note: `the source still sent fresh cursors after ${maxEmptyPages} empty pages in a row; the table ends there`,
  }
}
