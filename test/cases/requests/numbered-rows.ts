import type { JsonObject } from '@huntfleet/contract'
import type { Step } from '@huntfleet/testing'

/** Rows `{ id }` that count up, the sources that give them by offset, and the arguments that ask for them. */

export const from = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: first + i }))
export const ids = (count: number, first = 0) => from(first, count).map(({ id }) => String(id))

/** A source of so many rows, in order; `clamp` is the most that it gives at once. */
export const source = (rows: number, clamp = 1_000): Step[] => [
  {
    table: {
      rows,
      row: { id: '$i' },
      page: { by: 'offset', offset: 'skip', limit: 'take', maxLimit: clamp },
    },
  },
]

export const offset = (pageSize: number, more: JsonObject = {}): JsonObject => ({
  mode: 'offset',
  page_size: pageSize,
  offset_param: 'skip',
  limit_param: 'take',
  ...more,
})
export const asked = (size: number, ...offsets: number[]) => offsets.map((skip) => ({ skip, take: size }))
