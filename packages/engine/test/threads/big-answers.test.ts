import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FetchSpec } from '@huntfleet/contract'
import { type Script, type ScriptedMcp, type Step, startScriptedMcp } from '@huntfleet/testing'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ServerConfig } from '../../src/mcp/server-config.ts'
import type { SessionSource } from '../../src/ports.ts'
import { createRecording } from '../../src/recording/recording-writer.ts'
import { httpConfig, SessionFixture } from '../mcp/server-fixture.ts'
import { ScriptedSessions } from '../scripted-sessions.ts'
import { answerSpec, fetchSpec, tableSpec } from '../spec-fixture.ts'
import { pipelineThreads, run } from '../table-run.ts'

const threads = pipelineThreads()
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
afterAll(() => threads.close())

/** Every way in which an answer reaches us. */
const ways = [
  { way: 'stdio', protocol: 'v1' },
  { way: 'stdio', protocol: 'v2' },
  { way: 'json', protocol: 'v1' },
  { way: 'json', protocol: 'v2' },
  { way: 'sse', protocol: 'v1' },
  { way: 'sse', protocol: 'v2' },
  { way: 'legacy', protocol: 'v1' },
] as const
type Way = (typeof ways)[number]

async function configFor({ way, protocol }: Way, steps: Script): Promise<ServerConfig> {
  const script = protocol === 'v2' ? ({ ...steps, protocol: '2026-07-28' } as const) : steps
  const more = { protocol, progressExtends: true }
  if (way === 'stdio') return fixture.scripted(script, more)
  if (way === 'legacy') {
    server = await startScriptedMcp(script, { legacySse: 'only' })
    return httpConfig(server.sseUrl, more, { legacySse: 'only' })
  }
  server = await startScriptedMcp(script, { answer: way })
  return httpConfig(server.url, more)
}

/** Runs a table in the threads against a server that answers like this, and counts what was decoded there. */
async function fetchedBy(
  way: Way,
  steps: Step[],
  more: Partial<FetchSpec> = {},
  wrap = (inner: SessionSource) => inner,
) {
  const config = await configFor(way, {
    tools: [{ name: 'search' }],
    script: { search: steps },
    resources: linked,
  })
  const sessions: SessionSource = {
    lease: async (_server, _key, signal) => ({
      session: await fixture.open(config, signal),
      release: async () => {},
    }),
  }
  const decoded: string[] = []
  const spec = tableSpec([
    fetchSpec({ answer: answerSpec(), retry: { attempts: 1, baseMs: 1, maxMs: 1 }, ...more }),
  ])
  const result = await run(spec, new ScriptedSessions(() => Promise.reject(new Error('not asked'))), {
    sessions: wrap(sessions),
    openPipeline: (of, options) => {
      const pipeline = threads.open(of, options)
      const inner = pipeline.decoder
      const decoder = inner && {
        decode: async (...args: Parameters<typeof inner.decode>) => {
          const found = await inner.decode(...args)
          decoded.push(found.kind)
          return found
        },
      }
      return new Proxy(pipeline, {
        get: (target, key) => {
          if (key === 'decoder') return decoder
          const value = Reflect.get(target, key, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    },
  })
  return { ...result, decoded }
}

const count = 8_000
const rows = Array.from({ length: count }, (_, id) => ({ id, note: `row ${id} ${'x'.repeat(40)}` }))
const padding = 'x'.repeat(400_000)
const linked = { 'file:///more': { text: JSON.stringify({ rows: [{ id: count }] }) } }

describe.each(ways)('a big answer over $way, SDK $protocol', (way) => {
  test('is decoded in the thread of its table, row by row as it came', async () => {
    const { entry, rows: stored, decoded } = await fetchedBy(way, [{ json: { rows } }])
    expect(entry).toMatchObject({ outcome: 'complete', rows: count, error: null })
    expect(stored).toEqual(rows.map(({ id, note }) => ({ id: BigInt(id), note })))
    expect(decoded).toEqual(['messages'])
  })

  test('keeps every digit of its structured content', async () => {
    const resultText = `{"content":[],"structuredContent":{"pad":"${padding}","rows":[{"id":9007199254740993}]}}`
    const { rows: stored, decoded } = await fetchedBy(way, [{ resultText }])
    expect(stored).toEqual([{ id: 9007199254740993n, note: null }])
    expect(decoded).toEqual(['messages'])
  })

  test('comes behind progress notifications', async () => {
    const steps = [{ progress: { times: 2, everyMs: 5 }, json: { rows } }]
    expect((await fetchedBy(way, steps)).entry).toMatchObject({ outcome: 'complete', rows: count })
  })

  test('may be an error of the tool', async () => {
    const { entry } = await fetchedBy(way, [{ isError: true, text: `no such index ${padding}` }])
    expect(entry).toMatchObject({ outcome: 'failed', error: { code: 'TOOL_FAILED', page: 1 } })
    expect(entry.reason).toContain('no such index')
  })

  test('may be an error of JSON-RPC', async () => {
    const steps = [{ rpcError: { code: -32602, message: 'a is missing', data: padding } }]
    const { entry, decoded } = await fetchedBy(way, steps)
    expect(entry.error).toMatchObject({ code: 'ARGUMENT_INVALID', tool: 'search' })
    expect(decoded).toEqual(['messages'])
  })

  test('may be none of a tool', async () => {
    const { entry } = await fetchedBy(way, [{ resultText: `{"odd":"${padding}"}` }])
    expect(entry.error).toMatchObject({ code: 'ANSWER_INVALID', tool: 'search' })
    expect(entry.reason).toMatch(/its keys: .*odd/)
  })

  test('may link to resources', async () => {
    const content = [
      { type: 'resource', resource: { uri: 'file:///1', text: JSON.stringify({ rows }) } },
      { type: 'resource_link', uri: 'file:///more', name: 'more' },
    ]
    const answer = answerSpec({ followLinks: true, contentFrom: 'resource' })
    const { entry } = await fetchedBy(way, [{ result: { content } }], { answer })
    expect(entry).toMatchObject({ outcome: 'complete', rows: count + 1 })
  })
})

test('a big line that is no JSON-RPC is passed over, and the answer behind it is read', async () => {
  const steps = [{ noise: padding, json: { rows } }]
  const { entry, decoded } = await fetchedBy({ way: 'stdio', protocol: 'v1' }, steps)
  expect(entry).toMatchObject({ outcome: 'complete', rows: count })
  expect(decoded).toEqual(['unreadable', 'messages'])
})

test('a big answer is read although its server ends behind it', async () => {
  const { entry } = await fetchedBy({ way: 'stdio', protocol: 'v1' }, [{ json: { rows }, exitAfter: 0 }])
  expect(entry).toMatchObject({ outcome: 'complete', rows: count })
})

test('a big body that is no JSON is ANSWER_INVALID and says how it begins', async () => {
  const body = `<html>${padding}`
  const { entry } = await fetchedBy({ way: 'json', protocol: 'v1' }, [
    { httpStatus: 200, text: body, headers: { 'content-type': 'application/json' } },
  ])
  expect(entry.error).toMatchObject({ code: 'ANSWER_INVALID' })
  expect(entry.reason).toContain('<html>xxx')
})

test('a big answer is recorded whole', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-recording-'))
  const file = join(folder, 'calls.ndjson')
  const spec = tableSpec([fetchSpec()])
  const header = { strategy: 'hunt', scheduled_at: spec.scheduledAt, window: { start: null, end: null } }
  const recording = await createRecording({
    file,
    header,
    runId: spec.runId,
    scrub: false,
    mask: (text) => text,
  })
  const way = { way: 'stdio', protocol: 'v1' } as const
  const { entry } = await fetchedBy(way, [{ json: { rows } }], {}, (inner) => recording.sessions(inner, spec))
  await recording.close()
  expect(entry).toMatchObject({ outcome: 'complete', rows: count })
  expect(await readFile(file, 'utf8')).toContain(`row ${count - 1} `)
  await rm(folder, { recursive: true })
})
