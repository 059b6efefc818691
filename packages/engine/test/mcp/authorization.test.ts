import { RunError } from '@huntfleet/contract'
import {
  FakeClock,
  type OauthServer,
  type OauthServerOptions,
  type ScriptedMcp,
  startOauthServer,
  startScriptedMcp,
} from '@huntfleet/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { authorizationFor } from '../../src/mcp/authorization.ts'
import type { OauthClientCredentials } from '../../src/mcp/server-config.ts'
import { failureOf, httpConfig, SessionFixture, textsOf, within } from './server-fixture.ts'

const never = new AbortController().signal
const clock = new FakeClock()
const reading = (value: string) => async () => value

describe('authorizationFor', () => {
  it.each([
    ['nothing', { type: 'none' as const }, {}],
    ['a bearer token', { type: 'bearer' as const, token: reading('abc\n') }, { authorization: 'Bearer abc' }],
    ['a header', { type: 'header' as const, name: 'X-Key', value: reading(' abc ') }, { 'x-key': 'abc' }],
    [
      'a user',
      { type: 'basic' as const, username: reading('ä'), password: reading('p:w\n') },
      { authorization: `Basic ${Buffer.from('ä:p:w').toString('base64')}` },
    ],
  ])('sends %s', async (_, auth, headers) => {
    expect(await authorizationFor('web', auth, clock).headers(never)).toEqual(headers)
  })

  it('tries again after a 401 only when the secret has changed', async () => {
    let token = 'old'
    const authorization = authorizationFor('web', { type: 'bearer', token: async () => token }, clock)
    const rejected = await authorization.headers(never)
    expect(await authorization.renew(rejected, never)).toBe(false)
    token = 'new'
    expect(await authorization.renew(rejected, never)).toBe(true)
  })

  it('passes on that a secret is not set', async () => {
    const unset = async () => Promise.reject(new RunError('SECRET_UNSET', 'ELASTIC_TOKEN is not set'))
    const authorization = authorizationFor('web', { type: 'bearer', token: unset }, clock)
    expect((await failureOf(authorization.headers(never))).code).toBe('SECRET_UNSET')
  })
})

let oauth: OauthServer
let mcp: ScriptedMcp | undefined
let fixture: SessionFixture
beforeEach(() => {
  fixture = new SessionFixture()
})
afterEach(async () => {
  await fixture.close()
  await oauth?.close()
  await mcp?.close()
  mcp = undefined
})

async function startOauth(options: Partial<OauthServerOptions> = {}): Promise<OauthServer> {
  oauth = await startOauthServer({ clientId: 'fleet', clientSecret: 's3cret &', ...options })
  return oauth
}

function credentials(more: Partial<OauthClientCredentials> = {}): OauthClientCredentials {
  return {
    type: 'oauth_client_credentials',
    clientId: reading('fleet'),
    clientSecret: reading('s3cret &\n'),
    tokenUrl: oauth.tokenUrl,
    issuer: null,
    scope: null,
    audience: null,
    ...more,
  }
}

function authorizationOf(more: Partial<OauthClientCredentials> = {}, on = clock) {
  return authorizationFor('web', credentials(more), on)
}

describe('client credentials', () => {
  it('fetch one token for all who ask at the same time', async () => {
    await startOauth()
    const authorization = authorizationOf({ scope: 'read', audience: 'logs' })
    const [one, two] = await Promise.all([authorization.headers(never), authorization.headers(never)])
    expect(one).toEqual(two)
    expect(oauth.accepts(one?.['authorization'])).toBe(true)
    expect(oauth.requests).toEqual([{ grant_type: 'client_credentials', scope: 'read', audience: 'logs' }])
  })

  it('fetch another token before the first expires', async () => {
    await startOauth({ expiresIn: 3600 })
    const time = new FakeClock()
    const authorization = authorizationOf({}, time)
    const first = await authorization.headers(never)
    await time.advance(3500_000)
    expect(await authorization.headers(never)).toEqual(first)
    await time.advance(41_000)
    expect(await authorization.headers(never)).not.toEqual(first)
    expect(time.pending).toBe(0)
  })

  it('keep a token that names no end until it is refused', async () => {
    await startOauth({ expiresIn: null })
    const time = new FakeClock()
    const authorization = authorizationOf({}, time)
    const first = await authorization.headers(never)
    await time.advance(100 * 24 * 3600_000)
    expect(await authorization.headers(never)).toEqual(first)
    expect(await authorization.renew(first, never)).toBe(true)
    expect(await authorization.headers(never)).not.toEqual(first)
  })

  it('find the token endpoint through the issuer, and post the secret where only that is taken', async () => {
    await startOauth({ methods: ['client_secret_post'] })
    const headers = await authorizationOf({ tokenUrl: null, issuer: oauth.issuer }).headers(never)
    expect(oauth.accepts(headers['authorization'])).toBe(true)
    expect(oauth.requests[0]).toMatchObject({ client_id: 'fleet', client_secret: 's3cret &' })
  })

  it.each<
    [
      string,
      Partial<OauthServerOptions>,
      (server: OauthServer) => Partial<OauthClientCredentials>,
      string,
      RegExp,
    ]
  >([
    ['a wrong secret', {}, () => ({ clientSecret: reading('guess') }), 'SOURCE_DENIED', /invalid_client/],
    ['neither address', {}, () => ({ tokenUrl: null }), 'SOURCE_DENIED', /neither token_url nor issuer/],
    [
      'an answer without a token',
      { failure: { status: 200, body: '{"ok":true}' } },
      () => ({}),
      'SOURCE_DENIED',
      /no access_token/,
    ],
    [
      'an answer that is not JSON',
      { failure: { status: 200, body: '<html>' } },
      () => ({}),
      'SOURCE_DENIED',
      /JSON/,
    ],
    [
      'a token of another type',
      { failure: { status: 200, body: '{"access_token":"a","token_type":"mac"}' } },
      () => ({}),
      'SOURCE_DENIED',
      /mac/,
    ],
    ['a server in trouble', { failure: { status: 503, body: '' } }, () => ({}), 'SOURCE_ERROR', /503/],
    ['too many requests', { failure: { status: 429, body: '' } }, () => ({}), 'SOURCE_RATE_LIMITED', /429/],
    ['a redirect', { failure: { status: 302, body: '' } }, () => ({}), 'SOURCE_DENIED', /302/],
    [
      'metadata of another issuer',
      { issuer: 'https://evil.example' },
      (server) => ({ tokenUrl: null, issuer: server.issuer }),
      'SOURCE_DENIED',
      /evil\.example/,
    ],
    [
      'a token endpoint over plain http',
      { tokenEndpoint: 'http://10.0.0.9/token' },
      (server) => ({ tokenUrl: null, issuer: server.issuer }),
      'CREDENTIAL_REFUSED',
      /https/,
    ],
    [
      'a token_url over plain http',
      {},
      () => ({ tokenUrl: 'http://auth.example/token' }),
      'CREDENTIAL_REFUSED',
      /https/,
    ],
  ])('fail on %s', async (_, options, more, code, message) => {
    await startOauth(options)
    const error = await failureOf(authorizationOf(more(oauth)).headers(never))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(JSON.stringify(error)).not.toContain('s3cret')
  })

  it('say that it is the authorization server which cannot be reached', async () => {
    await startOauth()
    const authorization = authorizationOf()
    await oauth.close()
    const error = await failureOf(authorization.headers(never))
    expect(error.code).toBe('SOURCE_UNREACHABLE')
    expect(error.message).toContain('authorization server')
  })

  it('are not lost to others when one who waits for them gives up', async () => {
    await startOauth()
    const authorization = authorizationOf()
    const controller = new AbortController()
    const one = failureOf(authorization.headers(controller.signal))
    const two = authorization.headers(never)
    controller.abort()
    expect((await one).code).toBe('CANCELLED')
    expect(oauth.accepts((await two)['authorization'])).toBe(true)
  })

  it('are renewed once when the server refuses a token', async () => {
    await startOauth()
    mcp = await startScriptedMcp(
      { script: { fetch: [{ text: 'rows' }] } },
      { authorize: ({ authorization }) => oauth.accepts(authorization) },
    )
    const session = await fixture.open(httpConfig(mcp.url, { auth: credentials() }))
    oauth.revokeAll()
    expect(textsOf(await session.callTool('fetch', {}, within(3000)))).toEqual(['rows'])
    expect(oauth.requests).toHaveLength(2)
  })

  it('are SOURCE_DENIED when the server refuses the new token too', async () => {
    await startOauth()
    mcp = await startScriptedMcp({ script: {} }, { authorize: () => false })
    const error = await failureOf(fixture.open(httpConfig(mcp.url, { auth: credentials() })))
    expect(error.code).toBe('SOURCE_DENIED')
    expect(oauth.requests).toHaveLength(2)
  })
})
