import { RunError } from '@huntfleet/contract'
import type { Authorization } from './authorization.ts'

export interface HttpRequesterOptions {
  server: string
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>
  authorization: Authorization
}

export interface HttpRequest {
  method: 'POST' | 'GET' | 'DELETE'
  headers: Record<string, string>
  body?: string
  signal: AbortSignal
}

const maxRedirects = 5

/**
 * Sends requests to one server with its headers and credentials: new credentials once after a 401, and redirects only
 * within the origin and only those that keep the method, so that a token never travels elsewhere (SPEC 16.5).
 */
export class HttpRequester {
  readonly #options: HttpRequesterOptions

  constructor(options: HttpRequesterOptions) {
    this.#options = options
  }

  async send(url: URL, request: HttpRequest): Promise<Response> {
    const { authorization } = this.#options
    const credentials = await authorization.headers(request.signal)
    const response = await this.#sendFollowing(url, request, credentials)
    if (response.status !== 401 || !(await authorization.renew(credentials, request.signal))) return response
    await response.body?.cancel()
    return this.#sendFollowing(url, request, await authorization.headers(request.signal))
  }

  async #sendFollowing(
    start: URL,
    request: HttpRequest,
    credentials: Record<string, string>,
  ): Promise<Response> {
    const headers = checkedHeaders(this.#options.server, [
      this.#options.headers,
      credentials,
      request.headers,
    ])
    let url = start
    for (let followed = 0; followed <= maxRedirects; followed += 1) {
      const response = await fetch(url, { ...request, headers, redirect: 'manual' })
      if (response.status < 300 || response.status > 399) return response
      await response.body?.cancel()
      url = this.#target(url, response)
    }
    throw new RunError('SERVER_REFUSED', `server "${this.#options.server}" redirects in a circle`)
  }

  #target(from: URL, response: Response): URL {
    const { server } = this.#options
    const location = response.headers.get('location') ?? ''
    const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined
    const keepsMethod = response.status === 307 || response.status === 308
    if (target && keepsMethod && target.origin === from.origin && target.username === '') return target
    // Without its query: some gateways put one-time tokens there.
    const named = target ? `${target.origin}${target.pathname}` : 'nowhere'
    throw new RunError(
      'SERVER_REFUSED',
      `server "${server}" redirects (HTTP ${response.status}) to ${named}, which is not followed`,
      { hint: `if that is the right place, set it as mcp_servers.${server}.remote.url` },
    )
  }
}

/** The headers of all layers, if HTTP can carry them; the error of `fetch` would quote the value, which may be a secret. */
function checkedHeaders(server: string, layers: readonly Record<string, string>[]): Headers {
  const headers = new Headers()
  for (const [name, value] of layers.flatMap((layer) => Object.entries(layer))) {
    if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      // `set`, not `append`: later layers win, in whatever case a name was written.
      headers.set(name, value)
      continue
    }
    const what = `header ${JSON.stringify(name)} has a name or a value that HTTP cannot carry`
    throw new RunError('CREDENTIAL_REFUSED', `server "${server}": ${what}`, {
      hint: 'look for a line break at the end of the secret, or a character outside Latin-1',
    })
  }
  return headers
}
