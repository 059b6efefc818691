import { once } from 'node:events'
import { createServer } from 'node:http'
import { type ScriptedHttpOptions, type ScriptedMcp, type Step, startScriptedMcp } from '@huntfleet/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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

async function serve(
  steps: Step[],
  options: ScriptedHttpOptions = { legacySse: 'only' },
): Promise<ScriptedMcp> {
  server = await startScriptedMcp({ script: { fetch: steps } }, options)
  return server
}

describe('a server that only speaks the old HTTP+SSE transport', () => {
  it('is used when the config says so', async () => {
    const { sseUrl } = await serve([{ text: 'rows' }])
    const session = await fixture.open(httpConfig(sseUrl, {}, { legacySse: 'only' }))
    expect(textsOf(await session.callTool('fetch', {}, within(3000)))).toEqual(['rows'])
  })

  it('is found when it refuses the new transport', async () => {
    const { sseUrl } = await serve([{ text: 'rows' }])
    const session = await fixture.open(httpConfig(sseUrl, {}, { legacySse: 'auto' }))
    expect(textsOf(await session.callTool('fetch', {}, within(3000)))).toEqual(['rows'])
    expect(server?.requests.slice(0, 2).map(({ method }) => method)).toEqual(['POST', 'GET'])
  })

  it('is not tried when the config says never', async () => {
    const { sseUrl } = await serve([])
    expect((await failureOf(fixture.open(httpConfig(sseUrl, {}, { legacySse: 'never' })))).code).toBe(
      'SERVER_REFUSED',
    )
    expect(server?.requests).toHaveLength(1)
  })

  it('keeps the first error when neither transport works', async () => {
    const { url } = await serve([])
    const error = await failureOf(fixture.open(httpConfig(`${url}/nowhere`, {}, { legacySse: 'auto' })))
    expect(error.code).toBe('SERVER_REFUSED')
    expect(error.message).toContain('405')
  })

  it.each<{ fault: string; step: Step; code: string; retryAfterMs?: number }>([
    { fault: 'drops its stream', step: { fault: 'drop_socket' }, code: 'SESSION_LOST' },
    {
      fault: 'is overrun',
      step: { httpStatus: 429, headers: { 'retry-after': '3' } },
      code: 'SOURCE_RATE_LIMITED',
      retryAfterMs: 3000,
    },
    { fault: 'sends more than is allowed', step: { padBytes: 200_000 }, code: 'ANSWER_TOO_LARGE' },
    { fault: 'sends what is not JSON', step: { resultText: '{]' }, code: 'ANSWER_INVALID' },
    { fault: 'never answers', step: { hang: true }, code: 'SOURCE_TIMEOUT' },
  ])('gives $code when it $fault', async ({ step, code, retryAfterMs }) => {
    const { sseUrl } = await serve([step])
    const session = await fixture.open(
      httpConfig(sseUrl, { maxMessageBytes: 100_000 }, { legacySse: 'only' }),
    )
    const error = await failureOf(session.callTool('fetch', {}, within(800)))
    expect(error.code).toBe(code)
    expect(error.context.retryAfterMs).toBe(retryAfterMs)
  })

  it('is no longer alive once its stream has ended', async () => {
    const { sseUrl } = await serve([{ fault: 'drop_socket' }])
    const session = await fixture.open(httpConfig(sseUrl, {}, { legacySse: 'only' }))
    await failureOf(session.callTool('fetch', {}, within(3000)))
    expect(session.alive).toBe(false)
    expect((await failureOf(session.callTool('fetch', {}, within(3000)))).code).toBe('SESSION_LOST')
  })

  it('cannot be opened when it answers with no stream', async () => {
    const { url } = await serve([], { legacySse: 'also' })
    const error = await failureOf(fixture.open(httpConfig(url, {}, { legacySse: 'only' })))
    expect(error.code).toBe('SERVER_REFUSED')
  })

  it.each([
    { endpoint: null, code: 'SOURCE_TIMEOUT' },
    { endpoint: 'http://127.0.0.2:9/messages', code: 'SERVER_REFUSED' },
  ])('cannot be opened when it names the endpoint $endpoint', async ({ endpoint, code }) => {
    const stub = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(endpoint === null ? ': wait\n\n' : `event: endpoint\ndata: ${endpoint}\n\n`)
    })
    await once(stub.listen(0, '127.0.0.1'), 'listening')
    const address = stub.address()
    const port = typeof address === 'object' ? address?.port : 0
    const config = httpConfig(`http://127.0.0.1:${port}/`, { connectTimeoutMs: 400 }, { legacySse: 'only' })
    const error = await failureOf(fixture.open(config))
    stub.closeAllConnections()
    stub.close()
    expect(error.code).toBe(code)
  })

  it('fails the calls that still wait when it is closed', async () => {
    const { sseUrl } = await serve([{ hang: true }])
    const session = await fixture.open(httpConfig(sseUrl, {}, { legacySse: 'only' }))
    const call = failureOf(session.callTool('fetch', {}, within(5000)))
    await expect.poll(() => server?.calls.length).toBe(1)
    await session.close()
    expect((await call).code).toBe('SESSION_LOST')
  })
})
