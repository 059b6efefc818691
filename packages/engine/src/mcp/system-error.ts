import { RunError } from '@huntfleet/contract'
import { visibleText } from '../visible-text.ts'

const timeouts = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])
/** TLS failures do not go away by themselves; HPE_*: what answers does not speak HTTP. */
const permanent = /^(?:CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED|ERR_TLS_|ERR_SSL_|HPE_|EPROTO$)/
/** Errno names, undici's codes, broken compression and streams that ended. Other codes of Node (`ERR_…`) tell of a bug. */
const network = /^(?:$|E(?!RR_)[A-Z0-9_]+$|UND_ERR_|Z_|ERR_STREAM_|ERR_SOCKET_)/

/**
 * The error for what `fetch`, a socket or the system threw, by its code (Node's errno names, OpenSSL's and undici's
 * own); undefined for anything else. `who` is named in the message: `server "elastic"`.
 */
export function systemError(thrown: unknown, who: string): RunError | undefined {
  const code = systemCode(thrown)
  if (code === undefined) return undefined
  const reason = rootMessage(thrown)
  const named = code === '' || reason.includes(code) ? reason : `${reason} (${code})`
  if (timeouts.has(code)) return new RunError('SOURCE_TIMEOUT', `${who} did not answer: ${named}`, {}, thrown)
  if (permanent.test(code)) {
    const hint = 'check the scheme of its url; a private certificate authority goes into NODE_EXTRA_CA_CERTS'
    return new RunError('SERVER_REFUSED', `${who} cannot be used: ${named}`, { hint }, thrown)
  }
  if (!network.test(code)) return undefined
  const hint = `check that ${who} is up and that this machine reaches its url`
  return new RunError('SOURCE_UNREACHABLE', `${who} cannot be reached: ${named}`, { hint }, thrown)
}

/** The code of an error or of what caused it; empty where `fetch` gives up without one (a forbidden port). */
function systemCode(thrown: unknown): string | undefined {
  for (const error of causes(thrown)) {
    if ('code' in error && typeof error.code === 'string') return error.code
  }
  const text = thrown instanceof TypeError ? thrown.message : ''
  return text === 'fetch failed' || text === 'terminated' ? '' : undefined
}

/** What `fetch` throws says why only in its cause. */
function rootMessage(thrown: unknown): string {
  const root = causes(thrown).at(-1)
  // Several addresses were tried: the first failure speaks for all.
  const first: unknown = root instanceof AggregateError ? root.errors[0] : root
  return visibleText(first instanceof Error ? first.message : String(first), 300)
}

/** An error and its causes, outermost first. */
function causes(thrown: unknown): Error[] {
  const chain: Error[] = []
  for (let error = thrown; error instanceof Error && chain.length < 5; error = error.cause) chain.push(error)
  return chain
}
