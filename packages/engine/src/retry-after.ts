/** Numbers above this are points in time (epoch seconds, since 2001), not waits. */
const leastEpochSeconds = 1e9
/** Epoch milliseconds, since 2001. */
const leastEpochMs = 1e12

/**
 * `retry_after: 30`, `"Retry-After": "1.5s"`, `retry after 30 seconds`, `X-Ratelimit-Retryafter: 1770091560`,
 * `retry_after_ms: 1500`, `try again in 2 minutes`.
 */
const waitWords =
  /(?:retry[ _-]?after|retry in|try again in|wait(?: for)?|ratelimit[_-]reset)([ _-]?(?:ms|millis(?:econds)?|s|secs|seconds))?["']?\s{0,4}[:=]?\s{0,4}["']?(\d{1,15}(?:\.\d{1,9})?)\s{0,2}(ms\b|millis|s\b|sec|m\b|min|h\b|hour)?/i

/** How long an error text asks to wait, in milliseconds from `now` (milliseconds since the epoch); else undefined. */
export function retryAfterOf(text: string, now: number): number | undefined {
  const found = waitWords.exec(text)
  if (found === null) return undefined
  const [, keyUnit = '', digits = '', unit = ''] = found
  const amount = Number(digits)
  if (amount >= leastEpochMs) return Math.max(0, Math.ceil(amount - now))
  if (amount >= leastEpochSeconds) return Math.max(0, Math.ceil(amount * 1_000 - now))
  return Math.ceil(amount * factor(unit || keyUnit.replace(/^[ _-]/, '')))
}

/** Milliseconds per unit; a bare number is seconds, as in the HTTP header. */
function factor(unit: string): number {
  const name = unit.toLowerCase()
  if (name.startsWith('ms') || name.startsWith('milli')) return 1
  if (name.startsWith('m')) return 60_000
  if (name.startsWith('h')) return 3_600_000
  return 1_000
}
