import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openProducer, type Producer } from '@huntfleet/queue'
import { startRedis } from '@huntfleet/testing'
import { afterAll, afterEach, expect, test } from 'vitest'
import { startWorker } from '../src/start-worker.ts'
import { hanging, instant, oneTable, quiet, runJob } from './fakes.ts'

const redis = await startRedis()
const given = test.skipIf(redis.skipped !== undefined)
const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})
afterAll(() => (redis.skipped === undefined ? redis.stop() : undefined))

async function fleet(): Promise<{ producer: Producer; settings: { url: string; prefix: string } }> {
  if (redis.skipped !== undefined) throw new Error(redis.skipped)
  const settings = { url: redis.url, prefix: `{test-${randomBytes(4).toString('hex')}}` }
  const producer = await openProducer({ redis: settings })
  open.push(() => producer.close())
  return { producer, settings }
}

const soon = (): AbortSignal => AbortSignal.timeout(15_000)
const base = { servers: [{ name: 'files', concurrency: 2 }], run: oneTable, logger: quiet }

given('carries out a run and is known to the fleet while it lives', async () => {
  const { producer, settings } = await fleet()
  const worker = await startWorker({ ...base, redis: settings, table: instant })
  open.push(() => worker.close('test'))
  expect(await producer.unservedServers(['files'])).toEqual([])
  await producer.enqueueRun(runJob('dns.app'))
  expect(await producer.waitForRun('dns.app', soon(), { pollMs: 20 })).toMatchObject({ status: 'complete' })
  await worker.close('test')
  expect(await producer.unservedServers(['files'])).toEqual(['files'])
})

given('answers /healthz while it is ready, and leaves no port open', async () => {
  const { settings } = await fleet()
  const health = { host: '127.0.0.1', port: 0 }
  const worker = await startWorker({ ...base, redis: settings, table: instant, health })
  open.push(() => worker.close('test'))
  const url = worker.healthUrl ?? ''
  const answer = await fetch(url)
  expect([answer.status, await answer.json()]).toEqual([200, { ready: true }])
  expect((await fetch(new URL('/', url))).status).toBe(404)
  await worker.close('test')
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

given('is not ready any more while it closes', async () => {
  const { producer, settings } = await fleet()
  const begun = Promise.withResolvers<void>()
  const health = { host: '127.0.0.1', port: 0 }
  const worker = await startWorker({
    ...base,
    redis: settings,
    table: hanging(begun.resolve),
    health,
    graceMs: 300,
  })
  await producer.enqueueRun(runJob('dns.closing'))
  await begun.promise
  const closed = worker.close('test')
  expect((await fetch(worker.healthUrl ?? '')).status).toBe(503)
  await closed
})

test('says that Redis is away instead of waiting for it', async () => {
  const start = startWorker({ ...base, redis: { url: 'redis://127.0.0.1:1' }, table: instant })
  await expect(start).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' })
})

function startProcess(settings: { url: string; prefix: string }, mode = '') {
  const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))
  const args = ['--conditions=source', program, settings.url, settings.prefix, mode]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  open.push(async () => void child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  return { child, lines }
}

given('leaves within 5 s of SIGTERM although a table does not stop', async () => {
  const { producer, settings } = await fleet()
  const { child, lines } = startProcess(settings, 'stubborn')
  await producer.enqueueRun(runJob('dns.stubborn'))
  await expect.poll(() => lines).toContain('table')
  child.kill('SIGTERM')
  const toldAt = performance.now()
  await once(child, 'exit')
  expect(performance.now() - toldAt).toBeLessThan(5_000)
})

given.each(['SIGTERM', 'SIGINT'] as const)(
  'hands its table back at %s and leaves by itself',
  async (signal) => {
    const { producer, settings } = await fleet()
    const { child, lines } = startProcess(settings)
    await producer.enqueueRun(runJob('dns.signal'))
    await expect.poll(() => lines).toContain('table')
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(lines).toEqual(['ready', 'table', 'closed'])
    const heir = await startWorker({ ...base, redis: settings, table: instant })
    open.push(() => heir.close('test'))
    const record = await producer.waitForRun('dns.signal', soon(), { pollMs: 20 })
    expect(record).toMatchObject({ status: 'complete', tables: { events: { attempt: 1 } } })
  },
)
