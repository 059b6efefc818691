import type { ErrorCode, RunError } from '@huntfleet/contract'
import { toolError } from './classify-text.ts'
import { errorText } from './error-words.ts'
import { compactJson } from './json/compact.ts'
import { decodeText } from './json/decode-text.ts'
import { type Exact, isExactObject } from './json/exact.ts'
import { toExact } from './json/to-exact.ts'
import type { ToolResult } from './ports.ts'
import { retryAfterOf } from './retry-after.ts'

/** The error that an answer with `isError` reports: the tool's own words, classified. */
export function errorOfResult(result: ToolResult, now = Date.now()): RunError {
  const text = result.content.flatMap((block) => (block.text === undefined ? [] : [block.text])).join('\n')
  const values = decodeText(text, 'auto', 0).values
  const [first] = values
  if (values.length === 1 && first !== undefined && first.start === 0 && isExactObject(first.value)) {
    return errorOfPayload(errorText(first.value), first.value, undefined, now)
  }
  if (text.trim() !== '' || result.structuredContent === undefined) return toolError(text, undefined, now)
  const payload = toExact(result.structuredContent)
  return errorOfPayload(errorText(payload), payload, undefined, now)
}

/**
 * The error that a JSON payload reports in `words`; `code`, when given, overrides what they say. A wait may be named
 * anywhere in the payload, for example among the headers that it quotes.
 */
export function errorOfPayload(words: string, payload: Exact, code?: ErrorCode, now = Date.now()): RunError {
  const error = toolError(words, code, now)
  if (error.kind !== 'transient' || error.context.retryAfterMs !== undefined) return error
  const retryAfterMs = retryAfterOf(compactJson(payload), now)
  return retryAfterMs === undefined ? error : error.with({ retryAfterMs })
}
