/** Lengths of time as people write them: `500ms`, `30s`, `5m`, `1h30m`, `2d`, `1w`. */

/** Milliseconds per unit, largest first: the order in which the units of one duration must stand. */
const units = [
  ['w', 604_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const

const pattern = new RegExp(`^${units.map(([unit]) => `(?:(\\d{1,15})${unit})?`).join('')}$`)

/** The forms as an error message lists them. */
export const durationForms = '500ms, 30s, 5m, 1h30m, 2d or 1w'

/**
 * Milliseconds of a duration; `undefined` when the text is none. Each unit stands at most once, the larger first.
 * A bare number has no unit and is none; a day is 24 hours and a week 7 days, whatever the clocks do.
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim()
  const match = pattern.exec(trimmed)
  if (match === null || trimmed === '') return undefined
  const milliseconds = units.reduce((sum, [, size], index) => sum + Number(match[index + 1] ?? 0) * size, 0)
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined
}

/** The shortest text for whole, non-negative milliseconds, in days at most: weeks read badly in messages. */
export function formatDuration(milliseconds: number): string {
  let left = milliseconds
  let text = ''
  for (const [unit, size] of units.slice(1)) {
    const count = Math.floor(left / size)
    if (count > 0) text += `${count}${unit}`
    left -= count * size
  }
  return text === '' ? '0s' : text
}
