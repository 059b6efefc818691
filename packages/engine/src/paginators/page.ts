import type { PagedSpec } from '@huntfleet/contract'
import type { Paginator } from '../paginator.ts'
import { firstCount, judgePage, pageCount, readState } from './page-count.ts'

type PageSpec = Extract<PagedSpec, { mode: 'page' }>

/** Pages by number, from `start_page` on. */
export function page(spec: PageSpec): Paginator {
  return {
    first: () => firstCount(spec),
    request(state) {
      const count = readState(pageCount, state)
      const number = spec.startPage + count.page
      return {
        params: [
          ...(spec.pageParam === null ? [] : [{ path: spec.pageParam, value: number }]),
          ...(spec.limitParam === null ? [] : [{ path: spec.limitParam, value: spec.pageSize }]),
        ],
        variables: {
          'page.offset': count.received,
          'page.limit': spec.pageSize,
          'page.number': number,
          'page.cursor': null,
        },
        following: count.page > 0,
        at: number,
      }
    },
    next(state, facts) {
      const verdict = judgePage(spec, readState(pageCount, state), facts)
      return verdict.kind === 'end' ? verdict.end : { more: true, state: verdict.count }
    },
  }
}
