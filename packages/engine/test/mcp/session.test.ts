import { RunError } from '@huntfleet/contract'
import {
  type Script,
  type ScriptedHttpOptions,
  type ScriptedMcp,
  type Step,
  startScriptedMcp,
} from '@huntfleet/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/json/exact.ts'
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

/** Both SDKs, each with a server that speaks nothing but its revisions of MCP. */
const generations = [
  { protocol: 'v1', revision: {} },
  { protocol: 'v2', revision: { protocol: '2026-07-28' } },
] as const
let generation: (typeof generations)[number] = generations[0]

async function openTo(
  script: Script,
  more: Partial<ServerConfig> = {},
  options?: ScriptedHttpOptions,
): Promise<SdkSession> {
  server = await startScriptedMcp({ ...script, ...generation.revision }, options)
  return fixture.open(httpConfig(server.url, { protocol: generation.protocol, ...more }))
}

function answering(
  step: Step,
  more?: Partial<ServerConfig>,
  options?: ScriptedHttpOptions,
): Promise<SdkSession> {
  return openTo({ script: { fetch: [step] } }, more, options)
}

const call = (session: SdkSession, options = within(3000)) => session.callTool('fetch', { a: 1 }, options)

describe.each(generations)('a session over SDK $protocol', (one) => {
  beforeEach(() => {
    generation = one
  })

  describe('callTool', () => {
    it('gives text, structured content, meta, the error flag and the size', async () => {
      const result = {
        content: [{ type: 'text', text: 'a' }],
        structuredContent: { n: 1 },
        isError: true,
        _meta: { m: 1 },
      }
      const session = await answering({ result })
      const answer = await call(session)
      expect(answer).toMatchObject({ content: [{ type: 'text', text: 'a' }], meta: { m: 1 }, isError: true })
      expect(answer.structuredContent).toEqual(new Map([['n', 1]]))
      const typed = generation.protocol === 'v2' && { resultType: 'complete' }
      const id = generation.protocol === 'v2' ? 0 : 1
      expect(answer.bytes).toBe(
        JSON.stringify({ jsonrpc: '2.0', id, result: { ...typed, ...result } }).length,
      )
      expect(session.calls).toBe(1)
      expect(session.server).toEqual({ name: 'scripted', version: '1.0.0' })
      expect(server?.calls[0]?.args).toEqual({ a: 1 })
    })

    it('keeps every digit of numbers in structured content', async () => {
      const resultText = '{"content":[],"structuredContent":{"id":18446744073709551615,"price":1.50,"n":7}}'
      for (const options of [{ answer: 'json' }, { answer: 'sse' }] as const) {
        const session = await answering({ resultText }, {}, options)
        const { structuredContent } = await call(session)
        expect(structuredContent).toEqual(
          new Map<string, unknown>([
            ['id', new ExactNumber('18446744073709551615')],
            ['price', new ExactNumber('1.50')],
            ['n', 7],
          ]),
        )
        await server?.close()
      }
    })

    it('reads past blocks it does not know and blocks that are broken', async () => {
      const content = [
        { type: 'hologram', data: 1 },
        { type: 'text', text: null },
        { type: 'image', data: '***not base64***', mimeType: 'image/png' },
        'bare',
        7,
        { type: 'text', text: '', annotations: { x: 1 } },
        { type: 'resource', resource: { uri: 'a://1', mimeType: 'text/csv', text: 'h\n1' } },
        {
          type: 'resource',
          resource: {
            uri: 'a://2',
            mimeType: 'application/json',
            blob: Buffer.from('[1]').toString('base64'),
          },
        },
        { type: 'resource', resource: { uri: 'a://3', mimeType: 'image/png', blob: 'AAAA' } },
        { type: 'resource_link', uri: 'a://4', name: 'link' },
        { type: 'text', text: 'rows' },
      ]
      expect((await call(await answering({ result: { content } }))).content).toEqual([
        { type: 'hologram' },
        { type: 'text' },
        { type: 'image', mimeType: 'image/png' },
        { type: 'text', text: 'bare' },
        { type: 'unknown' },
        { type: 'text', text: '' },
        { type: 'resource', uri: 'a://1', mimeType: 'text/csv', text: 'h\n1' },
        { type: 'resource', uri: 'a://2', mimeType: 'application/json', text: '[1]' },
        { type: 'resource', uri: 'a://3', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'a://4' },
        { type: 'text', text: 'rows' },
      ])
    })

    it.each<{ shape: string; resultText: string; texts: unknown; structured?: unknown; meta?: unknown }>([
      { shape: 'no blocks at all', resultText: '{"content":[]}', texts: [] },
      { shape: 'content that is a string', resultText: '{"content":"rows"}', texts: ['rows'] },
      {
        shape: 'content that is one block',
        resultText: '{"content":{"type":"text","text":"rows"}}',
        texts: ['rows'],
      },
      {
        shape: 'content null beside structured',
        resultText: '{"content":null,"structuredContent":[1]}',
        texts: [],
        structured: [1],
      },
      {
        shape: 'the result of the first protocol',
        resultText: '{"toolResult":{"a":"b"}}',
        texts: [],
        structured: new Map([['a', 'b']]),
      },
      {
        shape: 'a cursor beside the content',
        resultText: '{"content":[],"nextCursor":"c","_meta":null}',
        texts: [],
        meta: { nextCursor: 'c' },
      },
      {
        shape: 'meta of a strange form',
        resultText: '{"content":[],"_meta":{"progressToken":{}}}',
        texts: [],
        meta: { progressToken: {} },
      },
      {
        shape: 'NaN, as Python writes it',
        resultText: '{"content":[],"structuredContent":{"x":NaN}}',
        texts: [],
        structured: new Map([['x', 'NaN']]),
      },
    ])('reads $shape', async ({ resultText, texts, structured, meta }) => {
      const answer = await call(await answering({ resultText }))
      expect(textsOf(answer)).toEqual(texts)
      expect(answer.structuredContent).toEqual(structured)
      expect(answer.meta).toEqual(meta ?? {})
    })

    it.each(['{}', '{"content":null}', '{"task":{"taskId":"1"}}'])(
      'does not take %s for an answer without rows',
      async (resultText) => {
        const error = await failureOf(call(await answering({ resultText })))
        expect(error.code).toBe('ANSWER_INVALID')
        expect(error.message).toContain('neither content nor structuredContent')
      },
    )

    it('survives twenty thousand levels of nesting', async () => {
      const deep = '['.repeat(20_000) + ']'.repeat(20_000)
      const session = await answering({
        resultText: `{"content":[{"type":"text","text":"ok"}],"structuredContent":${deep}}`,
      })
      const answer = await call(session)
      expect(textsOf(answer)).toEqual(['ok'])
      expect(answer.structuredContent).toHaveLength(1)
    })

    it('does not mind a key named __proto__', async () => {
      const session = await answering({ resultText: '{"content":[],"__proto__":{"polluted":1}}' })
      await call(session)
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    })

    it('clamps a timeout that no timer can hold', async () => {
      expect(textsOf(await call(await answering({ text: 'ok' }), within(Number.POSITIVE_INFINITY)))).toEqual([
        'ok',
      ])
      expect(textsOf(await call(await answering({ text: 'ok' }), within(2 ** 31)))).toEqual(['ok'])
    })

    it('throws the reason of the signal, and leaves no listener on it', async () => {
      const session = await answering({ times: 30, text: 'ok' })
      const controller = new AbortController()
      const added: string[] = []
      const { signal } = controller
      const add = signal.addEventListener.bind(signal)
      const remove = signal.removeEventListener.bind(signal)
      signal.addEventListener = (...args: Parameters<typeof add>) => {
        added.push('add')
        add(...args)
      }
      signal.removeEventListener = (...args: Parameters<typeof remove>) => {
        added.push('remove')
        remove(...args)
      }
      for (let turn = 0; turn < 15; turn += 1) await call(session, within(3000, signal))
      expect(added.filter((what) => what === 'add')).toHaveLength(
        added.filter((what) => what === 'remove').length,
      )
      controller.abort(new RunError('SHUTDOWN', 'the worker stops'))
      expect((await failureOf(call(session, within(3000, signal)))).code).toBe('SHUTDOWN')
      await session.close()
      expect(server?.messages.filter(({ method }) => method === 'notifications/cancelled')).toEqual([])
    })

    it('does not let progress extend its timeout, unless the server is configured so', async () => {
      const step: Step = { text: 'done', progress: { times: 6, everyMs: 150 } }
      const patient = await answering(step, { progressExtends: true }, { answer: 'sse' })
      expect(textsOf(await call(patient, within(500)))).toEqual(['done'])
      await server?.close()
      const strict = await answering(step, { progressExtends: false }, { answer: 'sse' })
      // Nobody asked for progress, so the scripted server is quick.
      expect(textsOf(await call(strict, within(500)))).toEqual(['done'])
      expect(server?.messages.at(-1)?.params).not.toHaveProperty('_meta.progressToken')
    })

    it('ends a call that reports progress but stops', async () => {
      const step: Step = { hang: true, progress: { times: 2, everyMs: 100 } }
      const session = await answering(step, { progressExtends: true }, { answer: 'sse' })
      expect((await failureOf(call(session, within(300)))).code).toBe('SOURCE_TIMEOUT')
    })
  })

  describe('listTools', () => {
    it('merges the pages, keeps what it understands, and asks once', async () => {
      const session = await openTo({
        script: {},
        toolsPerPage: 2,
        tools: [
          {
            name: 'a',
            description: 'reads',
            inputSchema: { type: 'object', properties: { q: {} } },
            annotations: { readOnlyHint: true },
          },
          {
            name: 'b',
            outputSchema: { $ref: 'https://nowhere.invalid/schema.json' },
            annotations: { readOnlyHint: false },
          },
          {
            name: 'c',
            inputSchema: 'nonsense',
            outputSchema: { type: 'object', properties: { x: { pattern: '(?P<y>' } } },
          },
        ],
      })
      const tools = await session.listTools(within(3000))
      expect(tools).toEqual([
        {
          name: 'a',
          description: 'reads',
          inputSchema: { type: 'object', properties: { q: {} } },
          readOnly: true,
        },
        { name: 'b', description: '', inputSchema: { type: 'object' }, readOnly: false },
        { name: 'c', description: '', inputSchema: {}, readOnly: null },
      ])
      await session.listTools(within(3000))
      expect(server?.messages.filter(({ method }) => method === 'tools/list')).toHaveLength(2)
    })
  })

  describe('readResource', () => {
    it('gives the text of a resource, decoding what is textual', async () => {
      const session = await openTo({
        script: {},
        resources: {
          'a://text': { text: 'hello' },
          'a://blob': { blob: Buffer.from('a,b').toString('base64'), mimeType: 'text/csv' },
          'a://image': { blob: 'AAAA', mimeType: 'image/png' },
        },
      })
      expect(await session.readResource('a://text', within(3000))).toBe('hello')
      expect(await session.readResource('a://blob', within(3000))).toBe('a,b')
      expect((await failureOf(session.readResource('a://image', within(3000)))).code).toBe('ANSWER_INVALID')
      expect((await failureOf(session.readResource('a://none', within(3000)))).code).toBe('SERVER_REFUSED')
    })
  })
})
