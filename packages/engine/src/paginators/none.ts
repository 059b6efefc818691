import type { PaginationSpec } from '@huntfleet/contract'
import { complete, ended, type Paginator } from '../paginator.ts'
import { capped, hasMore, totalOf } from './page-count.ts'

type UnpagedSpec = Extract<PaginationSpec, { mode: 'none' }>

/**
 * One call. Where the answer tells no total, whether its rows are all there are is judged by what was asked for, in
 * `fetch-pages.ts`.
 */
export function none(spec: UnpagedSpec): Paginator {
  return {
    first: () => ({}),
    request: () => ({ params: [], variables: {}, following: false, at: null }),
    next(_state, page) {
      const total = totalOf(spec, page)
      if (total !== undefined && page.items < total) return capped(page.items, total)
      const more = hasMore(spec, page)
      if (more === true) {
        return ended(
          'source_capped',
          'the source says that more rows follow, and the binding has no way to ask',
        )
      }
      if (total !== undefined)
        return complete(`all ${total} rows that the source counts were received`, 'total')
      if (more === false) return complete('the source says that no more rows follow', 'end_cursor')
      return complete('the one call brought all that it was asked for', 'unpaged')
    },
  }
}
