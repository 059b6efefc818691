import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'
import { readBody } from './scripted-mcp/read-body.ts'

export interface OauthServerOptions {
  clientId: string
  clientSecret: string
  /** `expires_in` of the tokens, in seconds; null: the field is left out. */
  expiresIn?: number | null
  /** How clients may authenticate; default both. */
  methods?: readonly ('client_secret_basic' | 'client_secret_post')[]
  /** Answers every token request with this instead. */
  failure?: { status: number; body: string }
  /** What the metadata names as issuer; default the server's own address. */
  issuer?: string
  /** Where the metadata sends clients for tokens; default the server's own `/token`. */
  tokenEndpoint?: string
}

export interface OauthServer {
  issuer: string
  tokenUrl: string
  /** Bodies of the token requests, as parameters. */
  requests: Record<string, string>[]
  /** Whether this `Authorization` header carries a token that was issued and not revoked. */
  accepts(authorization: string | undefined): boolean
  /** Makes all tokens so far invalid. */
  revokeAll(): void
  close(): Promise<void>
}

/** A small OAuth 2.0 authorization server: RFC 8414 metadata and the client credentials grant, on 127.0.0.1. */
export async function startOauthServer(options: OauthServerOptions): Promise<OauthServer> {
  const tokens = new Set<string>()
  const requests: Record<string, string>[] = []
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  const { origin, close } = await listen(server)
  const methods = options.methods ?? ['client_secret_basic', 'client_secret_post']

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/.well-known/oauth-authorization-server') {
      sendJson(response, 200, {
        issuer: options.issuer ?? origin,
        token_endpoint: options.tokenEndpoint ?? `${origin}/token`,
        token_endpoint_auth_methods_supported: methods,
        grant_types_supported: ['client_credentials'],
      })
    } else if (request.method === 'POST' && request.url === '/token') {
      await issue(request, response)
    } else {
      sendJson(response, 404, { error: 'not_found' })
    }
  }

  async function issue(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(await readBody(request)))
    requests.push(form)
    if (options.failure) {
      response
        .writeHead(options.failure.status, { 'content-type': 'application/json' })
        .end(options.failure.body)
      return
    }
    if (!authenticates(form, request.headers.authorization)) {
      sendJson(response, 401, {
        error: 'invalid_client',
        error_description: 'no such client or wrong secret',
      })
      return
    }
    if (form['grant_type'] !== 'client_credentials') {
      sendJson(response, 400, { error: 'unsupported_grant_type' })
      return
    }
    const token = `token-${randomUUID()}`
    tokens.add(token)
    const expiresIn = options.expiresIn === undefined ? 3600 : options.expiresIn
    sendJson(response, 200, {
      access_token: token,
      token_type: 'Bearer',
      ...(expiresIn !== null && { expires_in: expiresIn }),
    })
  }

  function authenticates(form: Record<string, string>, authorization: string | undefined): boolean {
    const { clientId, clientSecret } = options
    const pair = [clientId, clientSecret].map(encodeURIComponent).join(':')
    const basic = `Basic ${Buffer.from(pair).toString('base64')}`
    if (methods.includes('client_secret_basic') && authorization === basic) return true
    const posted = form['client_id'] === clientId && form['client_secret'] === clientSecret
    return methods.includes('client_secret_post') && posted
  }

  return {
    issuer: origin,
    tokenUrl: `${origin}/token`,
    requests,
    accepts: (authorization) => tokens.has((authorization ?? '').replace(/^Bearer /, '')),
    revokeAll: () => tokens.clear(),
    close,
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
