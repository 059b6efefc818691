import type { TableEntry } from '@huntfleet/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keepBetter } from '../src/keep-better.ts'
import { fetched, specOf } from './worker-fakes.ts'

const attempt = fc.record({
  rows: fc.nat(20),
  kind: fc.constantFrom('complete', 'page_error', 'failed'),
})

function entryOf({ rows, kind }: { rows: number; kind: string }, retry: number): TableEntry {
  const spec = specOf('dns.1', 'events')
  if (kind === 'failed') return fetched(spec, { outcome: 'failed', whole: false, rows: 0, path: null, retry })
  if (kind === 'complete') return fetched(spec, { rows, retry })
  return fetched(spec, { outcome: 'page_error', whole: false, rows, retry })
}

test('a retry never takes rows away, unless it brings the whole table, and forgets no attempt', () => {
  fc.assert(
    fc.property(fc.array(attempt, { minLength: 1, maxLength: 5 }), (attempts) => {
      let kept: TableEntry | null = null
      for (const [index, one] of attempts.entries()) {
        const before: TableEntry | null = kept
        const now = entryOf(one, index + 1)
        kept = keepBetter(before, now)
        if (before !== null && !now.whole) expect(kept.rows).toBeGreaterThanOrEqual(before.rows)
        if (now.whole) expect(kept).toMatchObject({ retry: now.retry, rows: now.rows })
      }
      const told = [kept?.retry ?? 0, ...(kept?.history ?? []).map(({ retry }) => retry)]
      expect(told.sort()).toEqual(attempts.map((_, index) => index + 1))
      expect(kept?.history.every((one, i, all) => i === 0 || (all[i - 1]?.retry ?? 0) < one.retry)).toBe(true)
    }),
  )
})
