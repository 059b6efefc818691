import { type ScriptedHttpOptions, type ScriptedMcp, type Step, startScriptedMcp } from '@huntfleet/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServerConfig } from '../../src/mcp/server-config.ts'
import type { SdkSession } from '../../src/mcp/session.ts'
import { failureOf, httpConfig, SessionFixture, textsOf, within } from './server-fixture.ts'

let fixture: SessionFixture
let server: ScriptedMcp | undefined
beforeEach(() => {
  fixture = new SessionFixture()
})
afterEach(async () => {
  await fixture.close()
  await server?.close()
  server = undefined
})

async function serve(steps: Step[], options?: ScriptedHttpOptions): Promise<ScriptedMcp> {
  server = await startScriptedMcp({ script: { fetch: steps } }, options)
  return server
}

async function openTo(
  steps: Step[],
  options?: ScriptedHttpOptions,
  more?: Partial<ServerConfig>,
): Promise<SdkSession> {
  const { url } = await serve(steps, options)
  return fixture.open(httpConfig(url, more))
}

interface FaultCase {
  fault: string
  step: Step
  code: string
  message?: RegExp
  retryAfterMs?: number
}

const faults: FaultCase[] = [
  {
    fault: 'drops the socket before it answers',
    step: { fault: 'drop_socket' },
    code: 'SOURCE_UNREACHABLE',
    message: /cannot be reached/,
  },
  { fault: 'cuts its body', step: { fault: 'cut_body', text: 'x'.repeat(5000) }, code: 'SOURCE_UNREACHABLE' },
  {
    fault: 'ends its body without the answer',
    step: { fault: 'end_stream' },
    code: 'SOURCE_UNREACHABLE',
    message: /without the answer/,
  },
  {
    fault: 'sends HTML under the right content type',
    step: { fault: 'not_json' },
    code: 'ANSWER_INVALID',
    message: /not valid JSON.*<html>/,
  },
  {
    fault: 'shows a login page',
    step: { fault: 'html' },
    code: 'SERVER_REFUSED',
    message: /text\/html.*please log in/,
  },
  {
    fault: 'is overrun, with seconds',
    step: { httpStatus: 429, headers: { 'retry-after': '7' }, text: 'slow down' },
    code: 'SOURCE_RATE_LIMITED',
    message: /slow down/,
    retryAfterMs: 7000,
  },
  { fault: 'is overrun, without a time', step: { httpStatus: 429 }, code: 'SOURCE_RATE_LIMITED' },
  {
    fault: 'is unavailable for a time',
    step: { httpStatus: 503, headers: { 'retry-after': '2' } },
    code: 'SOURCE_RATE_LIMITED',
    retryAfterMs: 2000,
  },
  { fault: 'is unavailable', step: { httpStatus: 503 }, code: 'SOURCE_ERROR' },
  {
    fault: 'breaks',
    step: { httpStatus: 500, text: 'oops' },
    code: 'SOURCE_ERROR',
    message: /HTTP 500: .*oops/,
  },
  { fault: 'stands behind a slow gateway', step: { httpStatus: 504 }, code: 'SOURCE_TIMEOUT' },
  { fault: 'wants credentials', step: { httpStatus: 401 }, code: 'SOURCE_DENIED' },
  { fault: 'forbids', step: { httpStatus: 403, text: 'no such right' }, code: 'SOURCE_DENIED' },
  {
    fault: 'says 403 and means a rate limit',
    step: { httpStatus: 403, text: 'secondary rate limit' },
    code: 'SOURCE_RATE_LIMITED',
  },
  {
    fault: 'does not like the request',
    step: { httpStatus: 400, text: 'bad from' },
    code: 'ARGUMENT_INVALID',
  },
  { fault: 'finds its answer too large', step: { httpStatus: 413 }, code: 'ANSWER_TOO_LARGE' },
  { fault: 'has forgotten the session', step: { fault: 'lose_session' }, code: 'SESSION_LOST' },
  {
    fault: 'says 400 about the session',
    step: { httpStatus: 400, text: 'Bad Request: No valid session ID' },
    code: 'SESSION_LOST',
  },
  { fault: 'says so in JSON-RPC', step: { fault: 'session_not_found' }, code: 'SESSION_LOST' },
  {
    fault: 'redirects elsewhere',
    step: { redirect: 'http://127.0.0.2:9/other?token=1' },
    code: 'SERVER_REFUSED',
    message: /redirects .*127\.0\.0\.2:9\/other, which/,
  },
  { fault: 'sends more than is allowed', step: { padBytes: 2_000_000 }, code: 'ANSWER_TOO_LARGE' },
  { fault: 'never answers', step: { hang: true }, code: 'SOURCE_TIMEOUT' },
  {
    fault: 'drips too slowly',
    step: { text: 'x'.repeat(1000), drip: { pieces: 100, everyMs: 50 } },
    code: 'SOURCE_TIMEOUT',
  },
]

for (const answer of ['json', 'sse'] as const) {
  describe(`a server that answers as ${answer} and`, () => {
    it.each(faults)('$fault gives $code', async ({ step, code, message, retryAfterMs }) => {
      const session = await openTo(
        [{ times: 1, ...step }, { text: 'well again' }],
        { answer },
        { maxMessageBytes: 1_000_000 },
      )
      const started = performance.now()
      const error = await failureOf(session.callTool('fetch', {}, within(800)))
      expect(error.code).toBe(code)
      expect(error.message).toMatch(message ?? /./)
      expect(error.context.retryAfterMs).toBe(retryAfterMs)
      expect(error.context).toMatchObject({ server: 'web', tool: 'fetch' })
      // Everything but a timeout is noticed at once.
      if (code !== 'SOURCE_TIMEOUT') expect(performance.now() - started).toBeLessThan(700)
      if (error.code !== 'SESSION_LOST') {
        expect(textsOf(await session.callTool('fetch', {}, within(3000)))).toEqual(['well again'])
      }
    })

    it('stops at the size limit when 256 kB unpack to 256 MB', async () => {
      const session = await openTo([{ fault: 'gzip_bomb' }], { answer }, { maxMessageBytes: 1_000_000 })
      const before = process.memoryUsage().rss
      expect((await failureOf(session.callTool('fetch', {}, within(10_000)))).code).toBe('ANSWER_TOO_LARGE')
      expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
    })

    it('answers slowly but in time is waited for', async () => {
      const session = await openTo([{ text: 'rows', drip: { pieces: 5, everyMs: 20 } }], { answer })
      expect(textsOf(await session.callTool('fetch', {}, within(5000)))).toEqual(['rows'])
    })

    it('answers twenty calls at a time gives each its own', async () => {
      const session = await openTo(
        [
          {
            table: { rows: 100, row: '$i', page: { by: 'offset', offset: 'n', limit: 'l', defaultLimit: 1 } },
          },
        ],
        { answer },
      )
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => session.callTool('fetch', { n }, within(5000))),
      )
      expect(answers.map((one) => textsOf(one)[0])).toEqual(Array.from({ length: 20 }, (_, n) => `[${n}]`))
    })
  })
}

describe('a Streamable HTTP session', () => {
  it('opens no standing stream and ends its session at the server', async () => {
    const session = await openTo([{ text: 'rows' }])
    await session.callTool('fetch', {}, within(3000))
    expect(server?.sessions.size).toBe(1)
    await session.close()
    expect(server?.sessions.size).toBe(0)
    expect(server?.requests.map(({ method }) => method)).not.toContain('GET')
    expect(session.alive).toBe(false)
  })

  it('tells the server its protocol version after initialize', async () => {
    const session = await openTo([{ text: 'rows' }])
    await session.callTool('fetch', {}, within(3000))
    expect(server?.requests.at(-1)?.headers['mcp-protocol-version']).toBe('2025-11-25')
  })

  it('is SESSION_LOST once the server has forgotten it, and then no longer alive', async () => {
    const session = await openTo([{ text: 'rows' }], { expireAfterCalls: 1 })
    await session.callTool('fetch', {}, within(3000))
    expect((await failureOf(session.callTool('fetch', {}, within(3000)))).code).toBe('SESSION_LOST')
    expect(session.alive).toBe(false)
  })

  it('stops the transfer of a call that was cancelled, and tells the server', async () => {
    const session = await openTo([{ text: 'x'.repeat(1000), drip: { pieces: 1000, everyMs: 20 } }])
    const controller = new AbortController()
    const call = failureOf(session.callTool('fetch', {}, within(10_000, controller.signal)))
    await expect.poll(() => server?.calls.length).toBe(1)
    controller.abort()
    expect((await call).code).toBe('CANCELLED')
    await session.close()
    expect(server?.messages.at(-1)).toMatchObject({ method: 'notifications/cancelled' })
  })

  it('fails the calls that still wait when it is closed', async () => {
    const session = await openTo([{ hang: true }])
    const call = failureOf(session.callTool('fetch', {}, within(5000)))
    await expect.poll(() => server?.calls.length).toBe(1)
    await session.close()
    expect((await call).code).toBe('SESSION_LOST')
  })

  it('follows a redirect within its origin', async () => {
    const { url } = await serve([{ times: 1, redirect: '/mcp?again' }, { text: 'found' }], {
      sessions: false,
    })
    const session = await fixture.open(httpConfig(url))
    expect(textsOf(await session.callTool('fetch', {}, within(3000)))).toEqual(['found'])
    expect(server?.requests.at(-1)?.path).toBe('/mcp?again')
  })

  it('gives up on redirects in a circle', async () => {
    const { url } = await serve([{ redirect: '/mcp' }], { sessions: false })
    const session = await fixture.open(httpConfig(url))
    expect((await failureOf(session.callTool('fetch', {}, within(3000)))).message).toContain('circle')
  })
})

describe('opening a Streamable HTTP session', () => {
  it('is SOURCE_UNREACHABLE when nobody listens', async () => {
    const { url } = await serve([])
    await server?.close()
    const error = await failureOf(fixture.open(httpConfig(url)))
    expect(error.code).toBe('SOURCE_UNREACHABLE')
    expect(error.message).toContain('ECONNREFUSED')
  })

  it('is SOURCE_UNREACHABLE when the name does not resolve', async () => {
    const error = await failureOf(fixture.open(httpConfig('https://mcp.invalid/mcp')))
    expect(error.code).toBe('SOURCE_UNREACHABLE')
  })

  it('is SERVER_REFUSED when https is asked of an http server', async () => {
    const { url } = await serve([])
    const error = await failureOf(fixture.open(httpConfig(url.replace('http:', 'https:'))))
    expect(error.code).toBe('SERVER_REFUSED')
  })

  it('is SERVER_REFUSED when there is no MCP endpoint', async () => {
    const { url } = await serve([], { legacySse: 'only' })
    expect((await failureOf(fixture.open(httpConfig(url)))).code).toBe('SERVER_REFUSED')
  })
})

describe('credentials over HTTP', () => {
  const token = 'tok-123456789'
  const bearer = { type: 'bearer', token: async () => `${token}\n` } as const

  it('go out with every request', async () => {
    const { url } = await serve([{ text: 'rows' }], {
      authorize: ({ authorization }) => authorization === `Bearer ${token}`,
    })
    const session = await fixture.open(httpConfig(url, { auth: bearer }, { headers: { 'X-Tenant': 'blue' } }))
    expect(textsOf(await session.callTool('fetch', {}, within(3000)))).toEqual(['rows'])
    await session.close()
    expect(server?.requests.every(({ headers }) => headers['x-tenant'] === 'blue')).toBe(true)
  })

  it('win over a header of the same name, however it is written', async () => {
    const { url } = await serve([])
    await fixture.open(
      httpConfig(url, { auth: bearer }, { headers: { Authorization: 'Basic x', Accept: 'text/html' } }),
    )
    expect(server?.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
    })
  })

  it('do not leave for the target of a redirect', async () => {
    const stranger = await startScriptedMcp({ script: { fetch: [{ text: 'thanks' }] } }, { sessions: false })
    try {
      const { url } = await serve([{ redirect: stranger.url }])
      const session = await fixture.open(httpConfig(url, { auth: bearer }))
      expect((await failureOf(session.callTool('fetch', {}, within(3000)))).code).toBe('SERVER_REFUSED')
      expect(stranger.requests).toEqual([])
    } finally {
      await stranger.close()
    }
  })

  it('are refused when HTTP cannot carry them, without being shown', async () => {
    const { url } = await serve([])
    const secret = 'two\nlines-of-secret'
    const error = await failureOf(fixture.open(httpConfig(url, {}, { headers: { 'x-key': secret } })))
    expect(error.code).toBe('CREDENTIAL_REFUSED')
    expect(JSON.stringify(error)).not.toContain('lines-of-secret')
  })
})
