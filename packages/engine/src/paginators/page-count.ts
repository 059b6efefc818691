import type { PagedSpec } from '@huntfleet/contract'
import { z } from 'zod'
import { type Exact, ExactNumber } from '../json/exact.ts'
import { complete, ended, type LastPage, type PageFacts, type PageState } from '../paginator.ts'

/** What every paged mode counts. */
export const pageCount = z.object({
  /** 0-based number of the page that is asked for next. */
  page: z.int(),
  /** Raw items received so far. */
  received: z.int(),
  /** Rows that make a full page: as asked for, or as learned from a source that clamps. */
  size: z.int(),
  /** Fingerprint of the page before. */
  previous: z.string().nullable(),
  /** Items of the short page that the next page is to confirm as the last one; 0: none. */
  confirming: z.int(),
})
export type PageCount = z.infer<typeof pageCount>

export function firstCount(spec: PagedSpec): PageCount {
  return { page: 0, received: 0, size: spec.pageSize, previous: null, confirming: 0 }
}

/** Reads a state that may come from a checkpoint. */
export function readState<S extends z.ZodType>(schema: S, state: PageState): z.infer<S> {
  return schema.parse(state)
}

/** The total that the page tells; undefined when it tells none. */
export function totalOf(spec: Pick<PagedSpec, 'totalPath'>, page: PageFacts): number | undefined {
  return spec.totalPath === null ? undefined : countOf(page.find(spec.totalPath))
}

/** A number of rows, as a number or as digits. */
export function countOf(value: Exact | undefined): number | undefined {
  const text =
    value instanceof ExactNumber
      ? value.text
      : typeof value === 'string' || typeof value === 'number'
        ? String(value)
        : ''
  if (!/^\s*\d+(?:\.0*)?\s*$/.test(text)) return undefined
  return Number(text)
}

/** What the page says about more pages; undefined when it says nothing. */
export function hasMore(spec: Pick<PagedSpec, 'hasMorePath'>, page: PageFacts): boolean | undefined {
  if (spec.hasMorePath === null) return undefined
  const value = page.find(spec.hasMorePath)
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return !/^(?:|false|no|n|f|0|off|null|none)$/i.test(value.trim())
  return value !== false && value !== 0
}

/** Whether the source may have clamped the limit to this many rows: such limits are round numbers (SPEC section 8). */
function looksClamped(items: number): boolean {
  return items % 5 === 0 || items % 16 === 0
}

export type Verdict = { kind: 'end'; end: LastPage } | { kind: 'more'; count: PageCount }

/**
 * The common end rules of offset, page and keyset: repeated page, empty page, total, has-more flag, short page with
 * its confirmation. The count it returns is that of the page after.
 */
export function judgePage(spec: PagedSpec, count: PageCount, page: PageFacts): Verdict {
  const end = (last: LastPage): Verdict => ({ kind: 'end', end: last })
  const total = totalOf(spec, page)
  const more = hasMore(spec, page)
  if (page.items === 0) return end(emptyPage(count.received, total, more))
  if (count.previous === page.fingerprint && spec.repeatGuard === 'stop') {
    return end({
      ...ended(
        'page_repeated',
        `page ${count.page + 1} repeats the page before it: the source ignores the paging arguments`,
      ),
      discard: true,
    })
  }
  const received = count.received + page.items
  // A page that comes where a short one was taken for the last: the source clamps, and to that size.
  const size = count.confirming > 0 ? count.confirming : count.size
  const following: PageCount = {
    page: count.page + 1,
    received,
    size,
    previous: page.fingerprint,
    confirming: 0,
  }
  if (more === false) {
    if (total !== undefined && received < total) return end(capped(received, total))
    return end(complete('the source says that no more pages follow', 'end_cursor'))
  }
  if (total !== undefined && received >= total && more !== true) {
    return end(complete(`all ${total} rows that the source counts were received`, 'total'))
  }
  const short = page.items < size
  if (!short || more === true || total !== undefined || spec.stopOn === 'empty')
    return { kind: 'more', count: following }
  if (spec.confirm === 'always' || (spec.confirm === 'auto' && looksClamped(page.items))) {
    return { kind: 'more', count: { ...following, confirming: page.items } }
  }
  return end(complete(`page ${count.page + 1} had ${page.items} rows of ${size}: the last one`, 'short_page'))
}

function emptyPage(received: number, total: number | undefined, more: boolean | undefined): LastPage {
  if (total !== undefined && received < total) return capped(received, total)
  if (more === true) {
    return ended(
      'source_capped',
      `the source says that more rows follow, but sent an empty page after ${received} rows`,
    )
  }
  return complete(`an empty page came after ${received} rows`, 'empty_page')
}

/** The source counts more rows than it gives. */
export function capped(received: number, total: number): LastPage {
  return ended('source_capped', `the source counts ${total} rows but gave ${received}`)
}
