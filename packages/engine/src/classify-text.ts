import { type ErrorCode, RunError } from '@huntfleet/contract'
import { retryAfterOf } from './retry-after.ts'
import { visibleText } from './visible-text.ts'

/** What an error's words say about it. */
export interface TextClass {
  code: ErrorCode
  /** How long the source asks us to wait, in milliseconds. */
  retryAfterMs?: number
}

/** Words that tell one kind of error from another stand at its beginning; the rest may be anything. */
const longestClassified = 16_384
/** As much of a tool's own words as an error carries, in UTF-16 code units. */
const longestMessage = 4_096

/**
 * In this order: a validation error may name a parameter `timeout`, GitHub answers a rate limit with 403, and a
 * gateway's time-out says 504. Wordings: MCP SDKs, FastMCP and the products of the survey (CrowdStrike, Okta,
 * Panther, Wazuh, AWS, Elastic).
 */
const rules: readonly { code: ErrorCode; words: RegExp; statuses?: readonly number[] }[] = [
  {
    code: 'TOOL_UNKNOWN',
    words:
      /\bunknown tool\b|\btool ['"]?[\w.:-]{1,128}['"]? (?:was )?not found\b|\bno such tool\b|-32601\b|\bmethod not found\b/i,
  },
  {
    code: 'ARGUMENT_INVALID',
    words:
      /-32602\b|\binput validation error\b|\binvalid arguments? for tool\b|\bunrecognized keys?\b|\bunexpected keyword argument\b|\bmissing required (?:keyword )?argument\b|\bvalidation errors? for\b/i,
    statuses: [422],
  },
  {
    code: 'SOURCE_RATE_LIMITED',
    words:
      /\brate[ _-]?limit|\btoo[ _-]?many[ _-]?requests\b|\bthrottl|\bquota\b|\brequest limit\b|\bslow down\b/i,
    statuses: [429],
  },
  {
    code: 'SOURCE_DENIED',
    words:
      /\bunauthori[sz]ed|\bforbidden\b|\b(?:permission|access)[ _]?denied\b|\bnot (?:authori[sz]ed|permitted|allowed to)\b|\binvalid (?:api[ _-]?)?(?:key|token|credentials)\b|\btoken (?:has |is )?expired\b|\bexpired token\b|\bauthentication (?:failed|required|error)\b|\bmissing scopes?\b|\brequires? [^\n]{0,60}\bscopes?\b|\binsufficient (?:scopes?|permissions?|privileges?)\b/i,
    statuses: [401, 403],
  },
  {
    code: 'SOURCE_TIMEOUT',
    words: /\btimed?[ -]?out\b|\btimeouts?\b|\bdeadline exceeded\b|\bETIMEDOUT\b/i,
    statuses: [408, 504],
  },
  {
    code: 'SOURCE_UNREACHABLE',
    words:
      /\bconnection (?:refused|reset|aborted|closed)\b|\bECONN(?:REFUSED|RESET|ABORTED)\b|\bEAI_AGAIN\b/i,
  },
  {
    code: 'SOURCE_ERROR',
    words:
      /\btemporarily unavailable\b|\bservice unavailable\b|\bbad gateway\b|\binternal (?:server )?error\b|\boverloaded\b|\b(?:please )?(?:try|retry) (?:again )?later\b|-32603\b/i,
    statuses: [500, 502, 503],
  },
]

/**
 * What kind of error a text tells of, by its words and by an HTTP status in it: rate limits and outages are tried
 * again, refusals are not, and anything else is `TOOL_FAILED`. For error texts only, never for texts that hold rows.
 * `now` (milliseconds since the epoch) turns a point in time to retry at into a wait.
 */
export function classifyText(text: string, now = Date.now()): TextClass {
  const head = text.slice(0, longestClassified)
  const status = statusOf(head)
  const rule =
    rules.find(({ words }) => words.test(head)) ??
    rules.find(({ statuses }) => statuses?.includes(status) === true)
  const code = rule?.code ?? 'TOOL_FAILED'
  const retryAfterMs = transient.has(code) ? retryAfterOf(head, now) : undefined
  return retryAfterMs === undefined ? { code } : { code, retryAfterMs }
}

const transient: ReadonlySet<ErrorCode> = new Set([
  'SOURCE_RATE_LIMITED',
  'SOURCE_TIMEOUT',
  'SOURCE_UNREACHABLE',
  'SOURCE_ERROR',
])

/** An HTTP status that is called one (`HTTP 503`, `"status_code": 429`, `Error: 400 …`); 0 without. */
function statusOf(text: string): number {
  const found =
    /\b(?:https?(?:\/[\d.]{1,3})?|status(?:[_ ]?code)?|code|error|returned|failed(?: with)?)\b["']?\s{0,4}[:=(]?\s{0,4}["']?([1-5]\d\d)\b/i.exec(
      text,
    )
  return Number(found?.[1] ?? /^\s{0,8}([45]\d\d)\b/.exec(text)?.[1] ?? 0)
}

const hints: Partial<Record<ErrorCode, string>> = {
  TOOL_UNKNOWN: 'check mcp_tool against the tools that the server lists',
  ARGUMENT_INVALID: 'check mcp_args against the input schema of the tool',
  SOURCE_DENIED: 'check the credentials of this server and what they are allowed to read',
  SOURCE_RATE_LIMITED: 'lower limits.calls_per_minute of this server, or run at another time',
  TOOL_FAILED: "these are the tool's own words; check mcp_args and the query",
}

/** An error text of a tool as the `RunError` its words ask for; `code`, when given, overrides the words. */
export function toolError(text: string, code?: ErrorCode, now = Date.now()): RunError {
  const found = classifyText(text, now)
  const verdict = code ?? found.code
  const hint = hints[verdict]
  return new RunError(
    verdict,
    visibleText(text.trim(), longestMessage) || 'the tool reports an error without words',
    {
      ...(found.retryAfterMs === undefined ? {} : { retryAfterMs: found.retryAfterMs }),
      ...(hint === undefined ? {} : { hint }),
    },
  )
}
