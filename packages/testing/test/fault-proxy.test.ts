import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type FaultProxy, slowDown, startFaultProxy } from '../src/fault-proxy.ts'

/** Answers with the body it was sent, and remembers how much of it came. */
const received: { path: string; bytes: number; whole: boolean; host: string | undefined }[] = []
let server: Server
let target: string
let proxy: FaultProxy

beforeAll(async () => {
  server = createServer((request, answer) => {
    const entry = { path: request.url ?? '', bytes: 0, whole: false, host: request.headers.host }
    received.push(entry)
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => {
      entry.bytes += chunk.length
      chunks.push(chunk)
    })
    request.on('end', () => {
      entry.whole = true
      answer.end(Buffer.concat(chunks))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  target = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
beforeEach(async () => {
  received.length = 0
  proxy = await startFaultProxy(target)
})
afterEach(() => proxy.close())
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
})

const send = (path: string, body = 'hello'): Promise<Response> =>
  fetch(`${proxy.url}${path}`, { method: 'PUT', body })

describe('a fault proxy', () => {
  it('passes requests and answers through, with the host that the client named', async () => {
    expect(await (await send('/a?b=c')).text()).toBe('hello')
    expect(proxy.requests).toEqual(['PUT /a?b=c'])
    expect(received).toEqual([{ path: '/a?b=c', bytes: 5, whole: true, host: new URL(proxy.url).host }])
  })

  it('drops a connection before the server hears of the request', async () => {
    proxy.inject({ fault: { kind: 'drop' } })
    await expect(send('/a')).rejects.toThrow()
    expect(received).toEqual([])
  })

  it("answers in the server's stead, as often as it is told", async () => {
    proxy.inject({ method: 'PUT', path: /slow/, times: 2, fault: slowDown })
    const statuses = []
    for (const path of ['/slow', '/quick', '/slow', '/slow']) statuses.push((await send(path)).status)
    expect(statuses).toEqual([503, 200, 503, 200])
    expect(received.map(({ path }) => path)).toEqual(['/quick', '/slow'])
  })

  it('uses the next rule when one is used up', async () => {
    proxy.inject({ times: 1, fault: { kind: 'answer', status: 500, body: 'first' } })
    proxy.inject({ times: 1, fault: { kind: 'answer', status: 404, body: 'second' } })
    expect(await (await send('/a')).text()).toBe('first')
    expect(await (await send('/a')).text()).toBe('second')
    expect((await send('/a')).status).toBe(200)
  })

  it('cuts the body of a request', async () => {
    proxy.inject({ fault: { kind: 'cutRequest', afterBytes: 1000 } })
    await expect(send('/a', 'x'.repeat(5000))).rejects.toThrow()
    await expect.poll(() => received).toMatchObject([{ bytes: 1000, whole: false }])
  })

  it('cuts the body of an answer', async () => {
    proxy.inject({ fault: { kind: 'cutAnswer', afterBytes: 1000 } })
    const answer = await send('/a', 'x'.repeat(5000))
    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toThrow()
  })

  it('loses an answer after the server has done its work', async () => {
    proxy.inject({ fault: { kind: 'loseAnswer' } })
    await expect(send('/a')).rejects.toThrow()
    expect(received).toMatchObject([{ bytes: 5, whole: true }])
  })

  it('cuts what is shorter than its limit behind its end', async () => {
    proxy.inject({ method: 'PUT', times: 1, fault: { kind: 'cutAnswer', afterBytes: 1000 } })
    proxy.inject({ fault: { kind: 'cutRequest', afterBytes: 1000 } })
    await expect(send('/a').then((answer) => answer.text())).rejects.toThrow()
    await expect(send('/a')).rejects.toThrow()
    await expect(fetch(proxy.url)).rejects.toThrow()
  })

  it('holds a request up, and whole', async () => {
    proxy.inject({ fault: { kind: 'slow', ms: 20 } })
    const startedAt = performance.now()
    expect(await (await send('/a', 'x'.repeat(50_000))).text()).toHaveLength(50_000)
    expect(performance.now() - startedAt).toBeGreaterThan(19)
  })

  it('passes everything once it is healed', async () => {
    proxy.inject({ fault: { kind: 'drop' } })
    await expect(send('/a')).rejects.toThrow()
    proxy.heal()
    expect(await (await send('/a')).text()).toBe('hello')
  })

  it('lets the first requests pass when it is told so', async () => {
    proxy.inject({ method: 'PUT', after: 2, times: 1, fault: slowDown })
    const statuses = []
    for (let n = 0; n < 4; n++) statuses.push((await send('/a')).status)
    expect(statuses).toEqual([200, 200, 503, 200])
  })

  it('hands a late request on, even when the client has gone', async () => {
    proxy.inject({ fault: { kind: 'late', ms: 100 } })
    await expect(
      fetch(`${proxy.url}/a`, { method: 'PUT', body: 'hello', signal: AbortSignal.timeout(20) }),
    ).rejects.toThrow()
    expect(await (await send('/b')).text()).toBe('hello')
    await expect.poll(() => proxy.lateRequests).toBe(0)
    expect(received.map(({ path }) => path).sort()).toEqual(['/a', '/b'])
  })

  it('hangs until it is closed', async () => {
    proxy.inject({ fault: { kind: 'hang' } })
    const outcome = send('/a').then(
      () => 'answered',
      () => 'closed',
    )
    await expect.poll(() => proxy.requests).toEqual(['PUT /a'])
    await proxy.close()
    expect(await outcome).toBe('closed')
    proxy = await startFaultProxy(target)
  })

  it('closes a connection whose server is not there', async () => {
    const nowhere = await startFaultProxy('http://127.0.0.1:1')
    await expect(fetch(nowhere.url)).rejects.toThrow()
    await nowhere.close()
  })
})
