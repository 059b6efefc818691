import { afterEach, describe, expect, it } from 'vitest'
import {
  type ScriptedHttpOptions,
  type ScriptedMcp,
  startScriptedMcp,
} from '../../src/scripted-mcp/http-server.ts'
import type { Script, Step } from '../../src/scripted-mcp/script.ts'

let server: ScriptedMcp | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function start(
  steps: Step[],
  options?: ScriptedHttpOptions,
  more?: Partial<Script>,
): Promise<ScriptedMcp> {
  server = await startScriptedMcp({ script: { fetch: steps }, ...more }, options)
  return server
}

function post(url: string, message: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    headers,
    redirect: 'manual',
  })
}

const call = (args: object = {}) => ({
  id: 7,
  method: 'tools/call',
  params: { name: 'fetch', arguments: args },
})

async function answerTo(url: string, args: object): Promise<string> {
  const reply = JSON.parse(await (await post(url, call(args))).text())
  return reply.result.content.map((block: { text: string }) => block.text).join('|')
}

describe('startScriptedMcp', () => {
  it('answers with the first step that matches and is not used up', async () => {
    const { url, calls } = await start(
      [
        { when: { 'q.from': 0 }, text: 'first' },
        { when: { cursor: { $absent: true } }, times: 1, text: ['no', 'cursor'] },
        { json: { rest: true } },
      ],
      { sessions: false },
    )
    expect(await answerTo(url, { q: { from: 0 } })).toBe('first')
    expect(await answerTo(url, { q: { from: 5 } })).toBe('no|cursor')
    expect(await answerTo(url, { q: { from: 5 } })).toBe('{"rest":true}')
    expect(calls.map(({ step }) => step)).toEqual([0, 1, 2])
  })

  it('says so when no step is left', async () => {
    const { url } = await start([{ times: 1, text: 'once' }], { sessions: false })
    await answerTo(url, {})
    expect(await answerTo(url, { a: 1 })).toBe('scripted server: no step for fetch {"a":1}')
  })

  it('keeps sessions and forgets them after so many calls', async () => {
    const { url, sessions } = await start([{ text: 'ok' }], { expireAfterCalls: 1 })
    expect((await post(url, call())).status).toBe(404)
    const opened = await post(url, { id: 1, method: 'initialize', params: {} })
    const id = opened.headers.get('mcp-session-id') ?? ''
    expect(id).not.toBe('')
    expect((await post(url, call(), { 'mcp-session-id': id })).status).toBe(200)
    expect((await post(url, call(), { 'mcp-session-id': id })).status).toBe(404)
    expect(sessions.size).toBe(0)
  })

  it('frames answers and progress as an event stream', async () => {
    const { url } = await start([{ text: 'ok', progress: { times: 2, everyMs: 1 } }], {
      sessions: false,
      answer: 'sse',
    })
    const message = call()
    const response = await post(url, {
      ...message,
      params: { ...message.params, _meta: { progressToken: 1 } },
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const text = await response.text()
    expect(text.match(/notifications\/progress/g)).toHaveLength(2)
    expect(text).toContain('"id":7,"result"')
  })

  it('refuses whom it does not know', async () => {
    const { url } = await start([{ text: 'ok' }], {
      sessions: false,
      authorize: ({ authorization }) => authorization === 'Bearer yes',
    })
    expect((await post(url, call())).status).toBe(401)
    expect((await post(url, call(), { authorization: 'Bearer yes' })).status).toBe(200)
  })

  it('acts out statuses, redirects and broken bodies', async () => {
    const { url } = await start(
      [
        { when: { n: 1 }, httpStatus: 429, headers: { 'retry-after': '3' }, text: 'slow down' },
        { when: { n: 2 }, redirect: 'http://127.0.0.1:9/' },
        { when: { n: 3 }, fault: 'cut_body', text: 'half' },
        { when: { n: 4 }, fault: 'drop_socket' },
        { when: { n: 5 }, fault: 'html' },
        { when: { n: 6 }, resultText: '{"content":[],"structuredContent":{"id":18446744073709551615}}' },
      ],
      { sessions: false },
    )
    const limited = await post(url, call({ n: 1 }))
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '3'])
    expect((await post(url, call({ n: 2 }))).headers.get('location')).toBe('http://127.0.0.1:9/')
    const cut = await post(url, call({ n: 3 }))
    await expect(cut.text()).rejects.toThrow('terminated')
    await expect(post(url, call({ n: 4 }))).rejects.toThrow('fetch failed')
    expect((await post(url, call({ n: 5 }))).headers.get('content-type')).toBe('text/html')
    expect(await (await post(url, call({ n: 6 }))).text()).toContain('18446744073709551615')
  })

  it('lists tools page by page and reads resources', async () => {
    const { url } = await start(
      [],
      { sessions: false },
      {
        tools: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
        toolsPerPage: 2,
        resources: { 'note://1': { text: 'hello' } },
      },
    )
    const first = JSON.parse(await (await post(url, { id: 1, method: 'tools/list' })).text())
    expect(first.result.nextCursor).toBe('2')
    const second = JSON.parse(
      await (await post(url, { id: 2, method: 'tools/list', params: { cursor: '2' } })).text(),
    )
    expect(second.result).toEqual({ tools: [{ inputSchema: { type: 'object' }, name: 'c' }] })
    const read = { id: 3, method: 'resources/read', params: { uri: 'note://1' } }
    const resource = JSON.parse(await (await post(url, read)).text())
    expect(resource.result.contents).toEqual([{ uri: 'note://1', text: 'hello' }])
  })
})
