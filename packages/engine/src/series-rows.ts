import { compactJson } from './json/compact.ts'
import { type Exact, type ExactArray, type ExactObject, isExactArray, isExactObject } from './json/exact.ts'
import type { ElementRows } from './matrix.ts'

/** Prometheus's matrix and vector results: `{metric: {…}, values: [[time, value], …]}`, or `value` with one sample. */
export function isSeries(elements: readonly Exact[]): elements is readonly ExactObject[] {
  return (
    elements.length > 0 &&
    elements.every(
      (element) =>
        isExactObject(element) && isExactObject(element.get('metric')) && samplesOf(element) !== null,
    )
  )
}

function samplesOf(series: ExactObject): ExactArray | null {
  const values = series.get('values')
  if (isExactArray(values)) return values
  const value = series.get('value')
  return isExactArray(value) ? [value] : null
}

/** One row per sample: `metric`, `timestamp`, `value`. */
export function seriesRows(elements: readonly ExactObject[]): ElementRows {
  const page: ElementRows = { rows: [], rejects: [], items: 0, header: null, notes: [] }
  for (const series of elements) {
    const metric = series.get('metric') ?? null
    for (const sample of samplesOf(series) ?? []) {
      page.items++
      if (isExactArray(sample) && sample.length === 2) {
        const [timestamp = null, value = null] = sample
        page.rows.push(
          new Map<string, Exact>([
            ['metric', metric],
            ['timestamp', timestamp],
            ['value', value],
          ]),
        )
      } else {
        const reason = 'a sample that is no pair of time and value'
        page.rejects.push({ row: page.items, reason, raw: compactJson(sample), stored: false })
      }
    }
  }
  return page
}
