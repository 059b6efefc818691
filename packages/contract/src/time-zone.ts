import { didYouMean } from './did-you-mean.ts'

/** Whether the text is an IANA time zone that this machine knows. Offsets are none: they have no summer time. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}

/** The name of a zone that may have been meant. */
export function nearTimeZone(text: string): string | undefined {
  const known = ['UTC', ...Intl.supportedValuesOf('timeZone')]
  return (
    didYouMean(text, known) ?? known.find((zone) => zone.toLowerCase().endsWith(`/${text.toLowerCase()}`))
  )
}

/** A time on the wall clock of a zone, with its offset: `2026-10-25T02:30:00+01:00`. */
export function zonedTime(at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  }).formatToParts(at)
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? ''
  const offset = part('timeZoneName').replace(/^GMT(?:\+00:00)?/, '') || 'Z'
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}${offset}`
}
