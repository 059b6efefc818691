import type { TableAttempt, TableEntry } from '@huntfleet/contract'

/**
 * The entry of a table that was fetched again. The new attempt counts, unless it brought less than an earlier one: a
 * retry never takes rows away. The other attempt goes into the entry's history.
 */
export function keepBetter(before: TableEntry | null, now: TableEntry): TableEntry {
  if (before === null) return now
  const [kept, other] = isLess(now, before) ? [before, now] : [now, before]
  const history = [...before.history, attemptOf(other)].sort((a, b) => a.retry - b.retry)
  return { ...kept, history }
}

function isLess(now: TableEntry, before: TableEntry): boolean {
  if (before.path === null || now.whole) return false
  return now.path === null || now.rows < before.rows
}

function attemptOf({ retry, outcome, reason, rows, path, sha256, attempt, error }: TableEntry): TableAttempt {
  return { retry, outcome, reason, rows, path, sha256, attempt, error }
}
