/** No source may make us wait longer than this by one header: 24 hours, in milliseconds. */
const longest = 24 * 60 * 60 * 1000

/**
 * The `Retry-After` of a response in milliseconds (RFC 9110 section 10.2.3: seconds, or a date); undefined when there
 * is none or it is neither.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  const seconds = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000
  return retryAfterSeconds(seconds)
}

/** A waiting time given in seconds, in milliseconds within bounds; undefined when it is no number. */
export function retryAfterSeconds(seconds: unknown): number | undefined {
  if (typeof seconds !== 'number' || Number.isNaN(seconds)) return undefined
  return Math.min(longest, Math.max(0, Math.ceil(seconds * 1000)))
}
