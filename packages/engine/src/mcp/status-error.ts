import { type ErrorCode, RunError } from '@huntfleet/contract'
import { classifyText } from '../classify-text.ts'
import { excerpt } from '../visible-text.ts'
import { retryAfterMs } from './retry-after-header.ts'
import { isRecord } from './wire-message.ts'

interface StatusClass {
  code: ErrorCode
  hint?: string
}

const wrongAddress = 'check url and transport of the server: no MCP endpoint answers there as it should'
const notAllowed = 'check auth and headers of the server, and what its credential may do'

/** What HTTP statuses mean for a call; anything else below 500 is `SERVER_REFUSED`. */
const statuses: Readonly<Record<number, StatusClass>> = {
  400: { code: 'ARGUMENT_INVALID' },
  401: { code: 'SOURCE_DENIED', hint: notAllowed },
  403: { code: 'SOURCE_DENIED', hint: notAllowed },
  407: { code: 'SOURCE_DENIED', hint: 'a proxy on the way wants credentials' },
  408: { code: 'SOURCE_TIMEOUT' },
  413: { code: 'ANSWER_TOO_LARGE', hint: 'ask for smaller pages (page_size) or a shorter window' },
  422: { code: 'ARGUMENT_INVALID' },
  425: { code: 'SOURCE_ERROR' },
  429: { code: 'SOURCE_RATE_LIMITED', hint: 'lower limits.calls_per_minute of the server' },
  504: { code: 'SOURCE_TIMEOUT' },
}

/**
 * The error for a response that is not 2xx. `body` is the start of its body; `inSession` says whether the request
 * carried a session, because 404 then means that the server has forgotten it and not that the address is wrong.
 */
export function statusError(server: string, response: Response, body: string, inSession: boolean): RunError {
  const { status } = response
  const said = body.trim() === '' ? '' : `: ${excerpt(bodyWords(body), 400)}`
  const message = `server "${server}" answered HTTP ${status}${said}`
  const words = classifyText(body)
  const retryAfter = retryAfterMs(response.headers, Date.now()) ?? words.retryAfterMs
  const { code, hint: usual } = classOf(status, body, inSession, words.code, retryAfter !== undefined)
  const hint = code === 'SOURCE_DENIED' ? (scopeHint(response) ?? usual) : usual
  return new RunError(code, message, {
    server,
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
    ...(hint !== undefined && { hint }),
  })
}

function classOf(
  status: number,
  body: string,
  inSession: boolean,
  words: ErrorCode,
  waits: boolean,
): StatusClass {
  // Servers built on the SDK's examples answer an unknown session with 400, not 404.
  if (inSession && (status === 404 || (status === 400 && /\bsession\b/i.test(body))))
    return { code: 'SESSION_LOST' }
  if (status === 403 && (words === 'SOURCE_RATE_LIMITED' || waits)) return { code: 'SOURCE_RATE_LIMITED' }
  if (status === 503 && (words === 'SOURCE_RATE_LIMITED' || waits)) return { code: 'SOURCE_RATE_LIMITED' }
  const known = statuses[status]
  if (known?.code === 'ARGUMENT_INVALID' && !inSession) return { code: 'SERVER_REFUSED', hint: wrongAddress }
  if (known) return known
  return status >= 500 ? { code: 'SOURCE_ERROR' } : { code: 'SERVER_REFUSED', hint: wrongAddress }
}

/** What the server's challenge asks for (RFC 6750 section 3), for whoever may grant it. */
function scopeHint(response: Response): string | undefined {
  const challenge = response.headers.get('www-authenticate') ?? ''
  const scope = /\bscope="([^"]{1,500})"/i.exec(challenge)?.[1]
  if (scope === undefined) return undefined
  return `the server asks for the scope ${excerpt(scope, 200)}: have it granted to the credential, and set it in auth.scope where that is oauth`
}

/** The message of a JSON-RPC error in the body, where there is one; else the body. */
function bodyWords(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body)
    const error = isRecord(parsed) ? parsed['error'] : undefined
    if (isRecord(error) && typeof error['message'] === 'string') return error['message']
  } catch {
    // Not JSON: said as it is.
  }
  return body
}
