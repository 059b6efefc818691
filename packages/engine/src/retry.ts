import { type FetchSpec, type RunError, retriesPage } from '@huntfleet/contract'

/** What a failed call of a page leads to. */
export type RetryDecision = { retry: false } | { retry: true; waitMs: number }

/**
 * Exponential back-off with full jitter (wait = random · min(max, base · 2^n)), so that workers that failed together
 * do not come back together. What the source asked for with Retry-After is never undercut. A lost session is not the
 * source's illness: the first one is retried at once, even where `retry` allows no second attempt.
 */
export function decideRetry(
  error: RunError,
  failures: number,
  retry: FetchSpec['retry'],
  random: () => number,
): RetryDecision {
  if (error.code === 'SESSION_LOST' && failures === 1) return { retry: true, waitMs: 0 }
  if (!retriesPage(error.code) || failures >= retry.attempts) return { retry: false }
  const ceiling = Math.min(retry.maxMs, retry.baseMs * 2 ** (failures - 1))
  const backOff = Math.ceil(random() * ceiling)
  return { retry: true, waitMs: Math.max(backOff, error.context.retryAfterMs ?? 0) }
}
