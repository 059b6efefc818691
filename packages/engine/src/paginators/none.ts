import { complete, type Paginator } from '../paginator.ts'

/** One call. Whether its rows are all there are is judged by what was asked for, in `fetch-pages.ts`. */
export function none(): Paginator {
  return {
    first: () => ({}),
    request: () => ({ params: [], variables: {}, following: false, at: null }),
    next: () => complete('the one call brought all that it was asked for', 'unpaged'),
  }
}
