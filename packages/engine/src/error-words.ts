import { compactJson, exactText } from './json/compact.ts'
import { type Exact, isExactArray, isExactObject } from './json/exact.ts'

/** Where payloads say in words what went wrong, in the order in which a person wants to read it. */
const wordKeys = [
  'error',
  'message',
  'msg',
  'detail',
  'details',
  'reason',
  'description',
  'title',
  'error_description',
]
/** Where they say it in numbers and short codes. */
const codeKeys = ['status_code', 'statusCode', 'code', 'status', 'error_code', 'type']
const listKeys = ['errors']

const deepest = 3
const longestPart = 4_096

/**
 * The words of an error payload: the texts under the keys that error payloads use, never anything else of it, since
 * it may echo a query or hold rows. Codes are written `status_code: 429`, so that they are recognised as such.
 */
export function errorWords(payload: Exact): string {
  const parts: string[] = []
  collect(payload, 0, parts)
  return [...new Set(parts)].join('; ').slice(0, longestPart)
}

function collect(value: Exact, depth: number, parts: string[]): void {
  if (value === null || typeof value === 'boolean' || depth > deepest) return
  if (isExactArray(value)) {
    for (const member of value.slice(0, 3)) collect(member, depth + 1, parts)
    return
  }
  if (!isExactObject(value)) {
    const text = exactText(value).trim()
    if (text !== '') parts.push(text.slice(0, longestPart))
    return
  }
  for (const key of wordKeys) collect(value.get(key) ?? null, depth + 1, parts)
  for (const key of codeKeys) {
    const code = value.get(key) ?? null
    if (isExactObject(code) || isExactArray(code) || code === null || typeof code === 'boolean') continue
    parts.push(`${key}: ${exactText(code).slice(0, 100)}`)
  }
  for (const key of listKeys) collect(value.get(key) ?? null, depth + 1, parts)
}

/** An error payload's words, or, where it uses none of the keys we know, the payload itself. */
export function errorText(payload: Exact): string {
  return errorWords(payload) || compactJson(payload).slice(0, longestPart)
}
