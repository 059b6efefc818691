import { RunError } from '@huntfleet/contract'
import { z } from 'zod'
import type { Clock } from '../ports.ts'
import { excerpt } from '../visible-text.ts'
import { readCapped } from './capped-body.ts'
import { isLoopback } from './checked-url.ts'
import { withDeadline } from './deadline.ts'
import type { OauthClientCredentials } from './server-config.ts'
import { systemError } from './system-error.ts'
import { untilAborted } from './until-aborted.ts'

const tokenAnswer = z.object({
  access_token: z.string().min(1),
  token_type: z.string().optional(),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
})
const metadataAnswer = z.object({
  issuer: z.string(),
  token_endpoint: z.string(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional().catch(undefined),
})

/** A token is renewed a minute before its end, or a tenth of its life if that is shorter. */
const renewalMarginMs = 60_000
const timeoutMs = 20_000
const maxAnswerBytes = 1024 * 1024

interface TokenEndpoint {
  url: URL
  /** How the client's secret is sent (RFC 6749 section 2.3.1). */
  method: 'basic' | 'post'
}

/**
 * An access token by the client credentials grant, fetched when first needed and again before it expires. The secret
 * goes to the configured authorization server only; what the MCP server names in its answers is never asked.
 */
export class OauthToken {
  readonly #server: string
  readonly #auth: OauthClientCredentials
  readonly #clock: Clock
  #current: { value: string; renewAt: number } | undefined
  #pending: Promise<string> | undefined

  constructor(server: string, auth: OauthClientCredentials, clock: Clock) {
    this.#server = server
    this.#auth = auth
    this.#clock = clock
  }

  /** A token that is not about to expire; throws `SOURCE_DENIED` with what to check. */
  async get(signal: AbortSignal): Promise<string> {
    if (this.#current && this.#clock.now() < this.#current.renewAt) return this.#current.value
    // Sessions that need a token at the same time share one request, which none of them can cancel for the others.
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined
    })
    return untilAborted(this.#pending, signal)
  }

  /** After a 401: makes sure that the next `get` gives another token than the rejected one. */
  async renew(rejected: string, signal: AbortSignal): Promise<boolean> {
    if (this.#current?.value === rejected) this.#current = undefined
    return (await this.get(signal)) !== rejected
  }

  async #fetch(): Promise<string> {
    const what = this.#name()
    const { signal } = new AbortController()
    const hint = `check mcp_servers.${this.#server}.remote.auth: token_url or issuer`
    const options = { clock: this.#clock, timeoutMs, signal, what, hint }
    return withDeadline(options, async (limited) => {
      const asked = this.#clock.now()
      const answer = tokenAnswer.safeParse(await this.#askForToken(await this.#endpoint(limited), limited))
      if (!answer.success) throw this.#denied('its answer holds no access_token')
      const { access_token: value, token_type: type, expires_in: seconds } = answer.data
      if (type !== undefined && type.toLowerCase() !== 'bearer') {
        throw this.#denied(`it issues tokens of type ${excerpt(type, 40)}, not Bearer`)
      }
      const lifeMs = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000
      this.#current = { value, renewAt: asked + lifeMs - Math.min(renewalMarginMs, lifeMs / 10 || 0) }
      return value
    })
  }

  async #askForToken({ url, method }: TokenEndpoint, signal: AbortSignal): Promise<unknown> {
    const { scope, audience } = this.#auth
    const id = (await this.#auth.clientId()).trim()
    const secret = (await this.#auth.clientSecret()).trim()
    const form = new URLSearchParams({ grant_type: 'client_credentials' })
    if (scope !== null) form.set('scope', scope)
    if (audience !== null) form.set('audience', audience)
    const headers: Record<string, string> = { accept: 'application/json' }
    if (method === 'basic') {
      const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`
      headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
    } else {
      form.set('client_id', id)
      form.set('client_secret', secret)
    }
    return this.#json(url, { method: 'POST', headers, body: form, signal })
  }

  async #endpoint(signal: AbortSignal): Promise<TokenEndpoint> {
    const { tokenUrl, issuer } = this.#auth
    if (tokenUrl !== null) return { url: this.#safeUrl(tokenUrl), method: 'basic' }
    if (issuer === null) throw this.#denied('neither token_url nor issuer is set')
    const metadata = metadataAnswer.safeParse(await this.#metadata(this.#safeUrl(issuer), signal))
    if (!metadata.success) throw this.#denied('its metadata names no token_endpoint')
    const { issuer: named, token_endpoint: endpoint, ...rest } = metadata.data
    // RFC 8414 section 3.3: metadata of another issuer must not be used.
    if (named.replace(/\/$/, '') !== issuer.replace(/\/$/, '')) {
      throw this.#denied(`its metadata belongs to the issuer ${excerpt(named, 100)}, not to ${issuer}`)
    }
    const methods = rest.token_endpoint_auth_methods_supported
    const postOnly = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
    return { url: this.#safeUrl(endpoint), method: postOnly ? 'post' : 'basic' }
  }

  /** RFC 8414 puts the well-known part before the issuer's path, OpenID discovery behind it. */
  async #metadata(issuer: URL, signal: AbortSignal): Promise<unknown> {
    const path = issuer.pathname.replace(/\/$/, '')
    const request = { headers: { accept: 'application/json' }, signal }
    try {
      return await this.#json(new URL(`/.well-known/oauth-authorization-server${path}`, issuer), request)
    } catch (error) {
      if (!(error instanceof RunError) || error.code !== 'SOURCE_DENIED') throw error
      return this.#json(new URL(`${path}/.well-known/openid-configuration`, issuer), request)
    }
  }

  async #json(url: URL, request: RequestInit): Promise<unknown> {
    const { response, text } = await this.#exchange(url, request)
    if (response.status >= 500 || response.status === 429) {
      const code = response.status === 429 ? 'SOURCE_RATE_LIMITED' : 'SOURCE_ERROR'
      throw new RunError(code, `${this.#name()} answered HTTP ${response.status}`)
    }
    if (!response.ok)
      throw this.#denied(`HTTP ${response.status} from ${url.host}${url.pathname}: ${excerpt(text)}`)
    try {
      return JSON.parse(text)
    } catch {
      throw this.#denied(`${url.host}${url.pathname} did not answer with JSON`)
    }
  }

  async #exchange(url: URL, request: RequestInit): Promise<{ response: Response; text: string }> {
    try {
      const response = await fetch(url, { ...request, redirect: 'manual' })
      return { response, text: (await readCapped(response, maxAnswerBytes)).toString() }
    } catch (error) {
      throw systemError(error, this.#name()) ?? error
    }
  }

  #name(): string {
    return `the authorization server of "${this.#server}"`
  }

  #safeUrl(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)))) return url
    const message = `server "${this.#server}": the client secret may only go to https, not to ${excerpt(text, 100)}`
    throw new RunError('CREDENTIAL_REFUSED', message, {
      hint: `check mcp_servers.${this.#server}.remote.auth: token_url or issuer`,
    })
  }

  #denied(reason: string): RunError {
    return new RunError('SOURCE_DENIED', `no access token for server "${this.#server}": ${reason}`, {
      hint: `check client_id, client_secret, scope and token_url or issuer in mcp_servers.${this.#server}.remote.auth`,
    })
  }
}
