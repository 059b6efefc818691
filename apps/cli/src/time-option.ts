import { parseInstant, RunError } from '@huntfleet/contract'

/** A point in time given as an option, in epoch milliseconds; relative ones count from now. */
export function timeOption(name: string, text: string, now: Date): number {
  const instant = parseInstant(text, now)
  if (instant !== undefined) return Date.parse(instant)
  throw new RunError('USAGE_INVALID', `--${name} ${JSON.stringify(text)} is not a time`, {
    hint: 'write ISO 8601 (2026-11-30T12:00:00Z), an epoch number, now, or a relative time such as -7d',
  })
}
