import type { FetchPlace } from '@huntfleet/contract'

/** Where every fetch begins. */
export const firstPlace: FetchPlace = {
  searchJob: null,
  pageSize: null,
  state: null,
  restarted: false,
  header: null,
  truncation: null,
  pages: 0,
  notes: [],
}
