import type { ColumnSpec } from '@huntfleet/contract'
import { isEpochUnit, readEpoch } from './epoch.ts'
import { readIsoText } from './iso-text.ts'
import type { Moment } from './moment.ts'
import { numberText } from './number-text.ts'
import { type Present, showValue } from './rejection.ts'
import { compileTimePattern } from './time-pattern.ts'

/** Fills a moment from a value: null when the text is blank, true when it is a time, otherwise why it is none. */
export type TimeReader = (value: Present, moment: Moment) => null | true | string

/** The options of a time column. */
export type TimeOptions = Pick<ColumnSpec, 'format' | 'timezone'>

const faults = {
  date: 'names a day that does not exist',
  time: 'names a time that does not exist',
  small: 'is too small a number to tell its unit: give the column a `format` (s, ms, us, ns or a pattern)',
  range: 'is outside the years 0001 to 9999',
} as const

/**
 * How the values of a time column are read: as its `format` says (an epoch unit or a pattern, and then nothing else),
 * otherwise as RFC 3339 text or as a number since the epoch, whichever it looks like.
 */
export function compileTimeReader(format: string | null, needs: 'date' | 'time'): TimeReader {
  const unit = format !== null && isEpochUnit(format) ? format : null
  const pattern = format === null || unit !== null ? null : compileTimePattern(format, needs)
  const expected =
    pattern === null
      ? unit === null
        ? 'RFC 3339 or a number since the epoch'
        : `a number in ${unit} since the epoch`
      : `in the column's format ${JSON.stringify(format)}`

  return (value, moment) => {
    const text = numberText(value)
    if (text === '') return null
    let fault = null
    if (text === undefined) fault = 'form' as const
    else if (pattern !== null) fault = pattern(text, moment)
    else if (unit === null && looksWritten(text)) fault = readIsoText(text, moment)
    else fault = readEpoch(text, unit, moment)
    if (fault === null) return true
    const reason = fault === 'form' ? `is not a time: expected ${expected}` : faults[fault]
    return `${showValue(value)} ${reason}`
  }
}

/** Whether a text is a written time (`2026-…` or `04:05…`) rather than a number. */
function looksWritten(text: string): boolean {
  return text.charCodeAt(4) === 0x2d || text.charCodeAt(2) === 0x3a
}
