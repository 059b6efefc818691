import { once } from 'node:events'
import { createServer } from 'node:http'
import { createMasker, type Hunt, type NotifyText } from '@huntfleet/contract'
import type { SlotEntry } from '@huntfleet/queue'
import { expect, onTestFinished, test } from 'vitest'
import { notifyOfSlot } from '../src/notify-of-slot.ts'

/** A webhook that keeps what it is told. */
async function webhook(status = 200) {
  const told: { headers: Record<string, unknown>; body: unknown }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    told.push({ headers: request.headers, body: JSON.parse(text) })
    response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/' } : {}).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}/hook`, told }
}

const hunt: Hunt = {
  name: 'dns-hourly',
  strategy: 'dns',
  params: {},
  require: 'any',
  notify: null,
  digest: 'd',
  schedule: {
    cron: '0 * * * *',
    timezone: 'UTC',
    window: { kind: 'none' },
    lagMs: 0,
    overlap: 'skip',
    catchUp: 'last',
    jitterMs: 0,
    enabled: true,
  },
}
const entry: SlotEntry = {
  slot: '2026-11-30T12:00:00.000Z',
  status: 'failed',
  reason: 'PARAM_INVALID: the key is s3cret-value',
  runId: null,
  outcome: 'failed',
  window: { start: null, end: null },
  runs: 0,
}
const masker = createMasker([])
masker.add('vendor', 's3cret-value')
const env = { HOOK_KEY: 'key-of-the-hook' }
const tell = (notify: Partial<NotifyText> & { url: NotifyText['url'] }, more: Partial<SlotEntry> = {}) =>
  notifyOfSlot(
    { headers: {}, on: ['partial', 'failed', 'lost'], ...notify },
    { hunt, entry: { ...entry, ...more }, run: null },
    { env, masker, folder: '/' },
  )

test('tells a webhook how a slot ended and why, with its headers, and secrets masked', async () => {
  const { url, told } = await webhook()
  await tell({ url, headers: { 'x-key': { env: 'HOOK_KEY' } } })
  expect(told).toHaveLength(1)
  expect(told[0]?.headers).toMatchObject({ 'x-key': 'key-of-the-hook', 'content-type': 'application/json' })
  expect(told[0]?.body).toMatchObject({
    hunt: 'dns-hourly',
    slot: entry.slot,
    status: 'failed',
    run_id: null,
    tables: {},
  })
  expect(JSON.stringify(told[0]?.body)).not.toContain('s3cret-value')
})

test('tells what was asked for only', async () => {
  const { url, told } = await webhook()
  await tell({ url }, { status: 'ran', outcome: 'complete' })
  await tell({ url }, { status: 'skipped', outcome: null })
  expect(told).toEqual([])
  await tell({ url, on: ['complete', 'skipped'] }, { status: 'ran', outcome: 'complete' })
  await tell({ url, on: ['complete', 'skipped'] }, { status: 'skipped', outcome: null, reason: 'overlap' })
  expect(told.map(({ body }) => body)).toMatchObject([
    { outcome: 'complete' },
    { status: 'skipped', reason: 'overlap' },
  ])
})

test('rejects when the webhook does not take it, or sends it elsewhere', async () => {
  await expect(webhook(500).then(({ url }) => tell({ url }))).rejects.toThrow('the webhook answered 500')
  await expect(webhook(302).then(({ url }) => tell({ url }))).rejects.toThrow('fetch failed')
})

test('goes over the network by https only', async () => {
  await expect(tell({ url: 'http://hooks.example/x' })).rejects.toMatchObject({ code: 'PROJECT_INVALID' })
})
