import { cpuTime, type Script, type Step } from '@huntfleet/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServerConfig } from '../../src/mcp/server-config.ts'
import {
  childProcesses,
  failureOf,
  isRunning,
  SessionFixture,
  stdioConfig,
  textsOf,
  within,
} from './server-fixture.ts'

let fixture: SessionFixture
beforeEach(() => {
  fixture = new SessionFixture()
})
afterEach(async () => {
  await fixture.close()
  expect(childProcesses()).toEqual([])
})

const answering = (...steps: Step[]): Script => ({ script: { fetch: steps } })

async function openScripted(script: Script, more: Partial<ServerConfig> = {}) {
  return fixture.open(await fixture.scripted(script, more))
}

describe('a stdio server that starts badly', () => {
  const scripted: { habit: string; script: Script; code: string; message: RegExp }[] = [
    {
      habit: 'ends at once',
      script: { script: {}, process: { exitAtStart: 3, stderr: 'API_KEY is not set\n' } },
      code: 'SERVER_START_FAILED',
      message: /exited with code 3.*API_KEY is not set/,
    },
    {
      habit: 'ends during initialize',
      script: { script: {}, initialize: { exit: 1, stderr: 'no database' } },
      code: 'SERVER_START_FAILED',
      message: /exited with code 1.*no database/,
    },
    {
      habit: 'speaks a protocol of the future',
      script: {
        script: {},
        initialize: {
          result: {
            protocolVersion: '2099-01-01',
            capabilities: {},
            serverInfo: { name: 'x', version: '1' },
          },
        },
      },
      code: 'SERVER_REFUSED',
      message: /2099-01-01/,
    },
    {
      habit: 'answers initialize with something else',
      script: { script: {}, initialize: { result: { hello: 'world' } } },
      code: 'ANSWER_INVALID',
      message: /files/,
    },
    {
      habit: 'wants the new revision',
      script: {
        script: {},
        initialize: { rpcError: { code: -32022, message: 'unsupported protocol version' } },
      },
      code: 'SERVER_REFUSED',
      message: /unsupported protocol version/,
    },
  ]
  it.each(scripted)('is $code when it $habit', async ({ script, code, message }) => {
    const error = await failureOf(openScripted(script))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
  })

  it.each([
    {
      fault: 'is not installed',
      config: stdioConfig({ command: 'no-such-mcp-server' }),
      message: /command "no-such-mcp-server" not found/,
    },
    {
      fault: 'has no working directory',
      config: stdioConfig({ cwd: '/no/such/folder' }),
      message: /\/no\/such\/folder does not exist/,
    },
    {
      fault: 'is not executable',
      config: stdioConfig({ command: import.meta.filename }),
      message: /not executable/,
    },
  ])('is SERVER_START_FAILED when its command $fault', async ({ config, message }) => {
    const error = await failureOf(fixture.open(config))
    expect(error.code).toBe('SERVER_START_FAILED')
    expect(error.message).toMatch(message)
    expect(error.context.hint).toContain('mcp_servers.files.local')
  })

  it('is SOURCE_TIMEOUT when it never answers initialize', async () => {
    const config = await fixture.scripted(
      { script: {}, initialize: { hang: true }, process: { stderr: 'waiting for the database' } },
      { connectTimeoutMs: 2000 },
    )
    const error = await failureOf(fixture.open(config))
    expect(error.code).toBe('SOURCE_TIMEOUT')
    expect(error.message).toContain('waiting for the database')
    expect(error.context.hint).toContain('connect_timeout')
  })

  it('throws the reason of the signal when opening is given up', async () => {
    const controller = new AbortController()
    const opening = fixture.open(
      await fixture.scripted({ script: {}, initialize: { hang: true } }),
      controller.signal,
    )
    controller.abort()
    expect((await failureOf(opening)).code).toBe('CANCELLED')
  })
})

describe('a stdio server that fails a call', () => {
  it.each<{ fault: string; step: Step; code: string; message: RegExp }>([
    {
      fault: 'exits',
      step: { exit: 9, stderr: 'out of memory' },
      code: 'SERVER_EXITED',
      message: /exited with code 9.*out of memory/,
    },
    {
      fault: 'dies silently',
      step: { fault: 'drop_socket' },
      code: 'SERVER_EXITED',
      message: /said nothing on stderr/,
    },
    {
      fault: 'dies in the middle of its answer',
      step: { fault: 'cut_body', text: 'x'.repeat(1000) },
      code: 'SERVER_EXITED',
      message: /code 1/,
    },
    {
      fault: 'sends more than is allowed',
      step: { padBytes: 200_000 },
      code: 'ANSWER_TOO_LARGE',
      message: /larger than 100000 bytes/,
    },
    {
      fault: 'never answers',
      step: { hang: true },
      code: 'SOURCE_TIMEOUT',
      message: /did not answer within 0.7 s/,
    },
    {
      fault: 'answers with a word as code',
      step: { rpcError: { code: 'E500', message: 'odd' } },
      code: 'SOURCE_ERROR',
      message: /odd/,
    },
    {
      fault: 'answers with broken JSON',
      step: { resultText: '{"content": [}' },
      code: 'ANSWER_INVALID',
      message: /not valid JSON/,
    },
    {
      fault: 'answers with a list as result',
      step: { resultText: '[1]' },
      code: 'ANSWER_INVALID',
      message: /result object/,
    },
  ])('gives $code when it $fault', async ({ step, code, message }) => {
    const session = await openScripted(answering(step), { maxMessageBytes: 100_000 })
    const error = await failureOf(session.callTool('fetch', {}, within(700)))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(error.context).toMatchObject({ server: 'files', tool: 'fetch' })
  })

  it('is no longer alive after it has exited, and says why to later calls', async () => {
    const session = await openScripted(answering({ exit: 9, stderr: 'bye' }))
    await failureOf(session.callTool('fetch', {}, within(5000)))
    expect(session.alive).toBe(false)
    const later = await failureOf(session.callTool('fetch', {}, within(5000)))
    expect(later.code).toBe('SERVER_EXITED')
    expect(later.message).toContain('bye')
  })
})

describe('a noisy stdio server', () => {
  it('is understood through banners and log lines on stdout, which are not logged', async () => {
    const session = await openScripted({
      ...answering({ noise: 'SELECT * FROM secrets', text: 'rows' }),
      process: { banner: '\u{1f986} duckdb ready\n{"level":"info"}\n[1,2]' },
    })
    expect(textsOf(await session.callTool('fetch', {}, within(5000)))).toEqual(['rows'])
    expect(fixture.logger.lines.join('\n')).not.toContain('SELECT')
  })

  it('does not block on two megabytes of stderr', async () => {
    const session = await openScripted(answering({ stderr: 2_000_000, text: 'rows' }))
    expect(textsOf(await session.callTool('fetch', {}, within(10_000)))).toEqual(['rows'])
  })

  it('delivers an answer that was written just before the process ended', async () => {
    const script = answering({ text: 'last words', padBytes: 300_000, exitAfter: 0 })
    const session = await openScripted(script)
    const answer = await session.callTool('fetch', {}, within(5000))
    expect(answer.bytes).toBeGreaterThan(300_000)
  })

  it('reads an answer of 50 MB in linear time', async () => {
    const session = await openScripted(answering({ padBytes: 50_000_000 }))
    const spent = cpuTime()
    const answer = await session.callTool('fetch', {}, within(20_000))
    expect(answer.content[0]?.text).toHaveLength(50_000_000)
    // The SDK's own buffer needs 30 s.
    expect(spent()).toBeLessThan(8_000)
  })
})

describe('closing a stdio server', () => {
  it('takes a moment only when the server ends with its stdin', async () => {
    const session = await openScripted(answering({ text: 'rows' }))
    const started = performance.now()
    await session.close()
    // It needed no SIGKILL, which comes after a second.
    expect(performance.now() - started).toBeLessThan(900)
  })

  it('kills a server that ignores the end of its stdin and SIGTERM', async () => {
    const session = await openScripted({ script: {}, process: { ignoreStdinEnd: true, ignoreSigterm: true } })
    const [pid] = childProcesses()
    expect(pid).toBeDefined()
    await session.close()
    expect(isRunning(pid ?? 0)).toBe(false)
  })

  it.each([
    { how: 'closed', end: {} },
    { how: 'crashing by itself', end: { exit: 1 } },
  ])('takes the children of a server with it when it is $how', async ({ end }) => {
    const session = await openScripted({ ...answering(end), process: { spawnsChild: true } })
    const messages = await fixture.messages()
    const child = Number(messages.find((message) => 'childPid' in message)?.['childPid'])
    expect(isRunning(child)).toBe(true)
    await session.callTool('fetch', {}, within(5000)).catch(() => undefined)
    await session.close()
    await expect.poll(() => isRunning(child)).toBe(false)
  })

  it('fails the calls that still wait', async () => {
    const session = await openScripted(answering({ hang: true }))
    const call = failureOf(session.callTool('fetch', {}, within(5000)))
    await session.close()
    expect((await call).code).toBe('SESSION_LOST')
    expect(session.alive).toBe(false)
  })
})

describe('the environment of a stdio server', () => {
  it('holds what every program needs, what is passed on and what is set, and nothing else', async () => {
    process.env['HF_PASSED'] = 'on'
    process.env['HF_SECRET'] = 'kept'
    try {
      // PATH can be longer than what is kept of stderr.
      const code =
        'const { PATH, ...rest } = process.env; process.stderr.write(JSON.stringify({ found: PATH?.length > 0, ...rest })); process.exit(1)'
      const config = stdioConfig({
        args: ['-e', code],
        env: { HF_SET: 'yes' },
        envPassthrough: ['HF_PASSED', 'HF_UNSET'],
      })
      const { message } = await failureOf(fixture.open(config))
      expect(message).toContain('"HF_SET":"yes"')
      expect(message).toContain('"HF_PASSED":"on"')
      expect(message).toContain('"found":true')
      expect(message).not.toMatch(/HF_SECRET|HF_UNSET/)
    } finally {
      delete process.env['HF_PASSED']
      delete process.env['HF_SECRET']
    }
  })
})
