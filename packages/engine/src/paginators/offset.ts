import type { PagedSpec } from '@huntfleet/contract'
import type { Paginator } from '../paginator.ts'
import { firstCount, judgePage, pageCount, readState } from './page-count.ts'

type OffsetSpec = Extract<PagedSpec, { mode: 'offset' }>

/**
 * The offset is the number of rows received so far: equal to page × page size for full pages, and still right when
 * the source sends fewer rows than it was asked for.
 */
export function offset(spec: OffsetSpec): Paginator {
  return {
    first: () => firstCount(spec),
    request(state) {
      const { page, received } = readState(pageCount, state)
      return {
        params: [
          ...(spec.offsetParam === null ? [] : [{ path: spec.offsetParam, value: received }]),
          ...(spec.limitParam === null ? [] : [{ path: spec.limitParam, value: spec.pageSize }]),
        ],
        variables: {
          'page.offset': received,
          'page.limit': spec.pageSize,
          'page.number': page + 1,
          'page.cursor': null,
        },
        following: page > 0,
        at: received,
      }
    },
    next(state, page) {
      const verdict = judgePage(spec, readState(pageCount, state), page)
      return verdict.kind === 'end' ? verdict.end : { more: true, state: verdict.count }
    },
  }
}
