import { errorWords } from './error-words.ts'
import { type Exact, type ExactObject, isExactArray, isExactObject } from './json/exact.ts'

/** The built-in rules about answers that only look successful (SPEC section 6); `error_when: []` switches them off. */

const falseMeansError = ['success', 'ok', 'valid']
/** Lower case; AWS CloudWatch says `Polling Timeout` and sends no rows. */
const failedStatuses: ReadonlySet<string> = new Set(['error', 'failed', 'polling timeout'])

/** The words of an error that a JSON object carries instead of rows; undefined: it carries none. */
export function payloadError(document: ExactObject, hasRows: boolean): string | undefined {
  const reported =
    (!hasRows && namesError(document)) ||
    falseMeansError.some((key) => document.get(key) === false) ||
    isFailedStatus(document.get('status'))
  return reported ? errorWords(document) || 'the answer reports a failure without words' : undefined
}

/** The words of an object that stands where a row is expected and is an error: `code` and `message`, as APIs send them. */
export function rowLikeError(row: ExactObject): string | undefined {
  const message = row.get('message')
  const code = row.get('code')
  return typeof message === 'string' && code !== undefined && code !== null ? errorWords(row) : undefined
}

/** A truthy `error`, or `errors` beside `data` that is null as a whole or in every member, as GraphQL fails. */
function namesError(document: ExactObject): boolean {
  const errors = document.get('errors')
  const data = document.get('data')
  const isFailedQuery =
    isExactArray(errors) &&
    errors.length > 0 &&
    (data === null || (isExactObject(data) && [...data.values()].every((member) => member === null)))
  return isFailedQuery || isTruthy(document.get('error') ?? null)
}

function isFailedStatus(status: Exact | undefined): boolean {
  return typeof status === 'string' && failedStatuses.has(status.toLowerCase())
}

function isTruthy(value: Exact): boolean {
  if (isExactArray(value)) return value.length > 0
  if (isExactObject(value)) return value.size > 0
  return value !== null && value !== false && value !== '' && value !== 0
}

const truncationFlags = ['truncated', 'results_truncated', 'resultsTruncated', 'is_partial']
const moreRows = /(?:\.\.\.|…) and [\d,]{1,20} more rows/

/**
 * The source's own words that it sent less than it has: a flag in an object around the rows (or in its `metadata`),
 * or a line `... and N more rows` in the text beside them; null: it says nothing of the kind.
 */
export function defaultTruncation(holders: readonly ExactObject[], text: string): string | null {
  for (const holder of holders) {
    for (const place of [holder, holder.get('metadata'), holder.get('meta')]) {
      if (!isExactObject(place)) continue
      const flag = truncationFlags.find((key) => place.get(key) === true)
      if (flag !== undefined) return `${flag}: true`
    }
  }
  return moreRows.exec(text)?.[0] ?? null
}
