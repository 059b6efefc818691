import { request } from 'node:http'
import { openQueue, runQueue } from '@huntfleet/queue'
import { expect, test } from 'vitest'
import { startDashboard } from '../src/start-dashboard.ts'
import { addFlow, announce, dashboardFixture, idleWorker, quiet } from './dashboard-fixture.ts'

const fixture = await dashboardFixture()
const given = test.skipIf(fixture.skip)

/** `fetch` does not let a caller choose the Host header. */
function get(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    call.once('error', reject)
    call.end()
  })
}

async function expectQueues(url: string, names: readonly string[]): Promise<void> {
  const board: unknown = await (await fetch(`${url}/queues/api/queues`)).json()
  expect(board).toMatchObject({ queues: names.map((name) => ({ name, readOnlyMode: true })) })
}

given('shows every queue, also one that appears later', async () => {
  const { settings } = await fixture.fleet()
  const { url } = await fixture.dashboard({ redis: settings })
  await expectQueues(url, ['hunt-tick', 'hunt-run'])
  await announce(settings, ['elastic'])
  await expectQueues(url, ['hunt-tick', 'hunt-run', 'src-elastic'])
  const page = await fetch(`${url}/`)
  expect([page.status, page.url]).toEqual([200, `${url}/queues`])
  expect(await page.text()).toContain('Huntfleet')
})

given('changes nothing, whatever is asked', async () => {
  const { producer, settings } = await fixture.fleet()
  const { url } = await fixture.dashboard({ redis: settings })
  await addFlow(producer, 'dns-hourly.1', ['events'])
  const paths = [
    'hunt-run/pause',
    'hunt-run/dns-hourly.1/clean',
    'hunt-run/empty',
    'hunt-run/obliterate',
    'pause-all',
  ]
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    for (const path of paths) {
      const { status } = await fetch(`${url}/queues/api/queues/${path}`, { method })
      expect([404, 405]).toContain(status)
    }
  }
  const queue = openQueue(producer.fleet, runQueue)
  expect(await queue.isPaused()).toBe(false)
  expect(await queue.getJob('dns-hourly.1')).toBeDefined()
  await queue.close()
})

given('counts jobs and workers for Prometheus', async () => {
  const { producer, settings } = await fixture.fleet()
  const { url } = await fixture.dashboard({ redis: settings })
  await announce(settings, ['files'])
  await addFlow(producer, 'dns-hourly.1', ['events', 'flows'])
  const answer = await fetch(`${url}/metrics`)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const lines = (await answer.text()).split('\n')
  expect(lines).toContain('huntfleet_jobs{queue="src-files",state="waiting"} 2')
  expect(lines).toContain('huntfleet_jobs{queue="hunt-run",state="waiting"} 1')
  expect(lines).toContain('huntfleet_jobs_ended_total{queue="src-files",result="failed"} 0')
})

given('counts the live workers of each server', async () => {
  const { settings } = await fixture.fleet()
  const { url } = await fixture.dashboard({ redis: settings })
  const worker = await idleWorker(settings, ['files', 'elastic'])
  const other = await idleWorker(settings, ['files'])
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n')
  expect(lines).toContain('huntfleet_workers{server="files"} 2')
  expect(lines).toContain('huntfleet_workers{server="elastic"} 1')
  await other.close(0)
  await worker.close(0)
})

given('asks for a password everywhere but at /healthz, and for local metrics', async () => {
  const { settings } = await fixture.fleet()
  const auth = { type: 'basic', users: { ann: { password: 'secret' } } } as const
  const { url } = await fixture.dashboard({ redis: settings, auth })
  for (const path of ['/', '/queues', '/queues/api/queues', '/queues/static/js/x.js', '/nothing']) {
    const answer = await fetch(`${url}${path}`, { redirect: 'manual' })
    expect([path, answer.status]).toEqual([path, 401])
    expect(answer.headers.get('www-authenticate')).toContain('Basic')
  }
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect((await fetch(`${url}/metrics`)).status).toBe(200)
  const authorization = `Basic ${Buffer.from('ann:secret').toString('base64')}`
  expect((await fetch(`${url}/queues`, { headers: { authorization } })).status).toBe(200)
})

given('refuses names that other sites may point here', async () => {
  const { settings } = await fixture.fleet()
  const { url } = await fixture.dashboard({ redis: settings, allowedHosts: ['Hunts.example'] })
  const status = (host: string, path = '/queues'): Promise<number> => get(`${url}${path}`, { host })
  expect(await status('evil.example')).toBe(403)
  expect(await status('evil.example', '/metrics')).toBe(403)
  expect(await status('evil.example', '/healthz')).toBe(200)
  expect(await status('hunts.example:80')).toBe(200)
})

given('keeps metrics from other machines unless they authenticate', async () => {
  const { settings } = await fixture.fleet()
  const local = await fixture.dashboard({ redis: settings })
  expect(await get(`${local.url}/metrics`, { 'x-forwarded-for': '10.0.0.9' })).toBe(403)
  const open = await fixture.dashboard({ redis: settings, host: '0.0.0.0' })
  const port = new URL(open.url).port
  expect(await get(`http://127.0.0.1:${port}/metrics`, {})).toBe(403)
  const token = await fixture.dashboard({
    redis: settings,
    host: '0.0.0.0',
    auth: { type: 'bearer', token: 't' },
  })
  const metrics = `http://127.0.0.1:${new URL(token.url).port}/metrics`
  expect(await get(metrics, {})).toBe(401)
  expect(await get(metrics, { authorization: 'Bearer t' })).toBe(200)
})

given('says which address it cannot have', async () => {
  const { settings } = await fixture.fleet()
  const { url } = await fixture.dashboard({ redis: settings })
  const port = Number(new URL(url).port)
  const second = startDashboard({ redis: settings, port, logger: quiet })
  await expect(second).rejects.toMatchObject({
    code: 'PROJECT_INVALID',
    message: expect.stringContaining(`:${port}`),
  })
})

test('says that Redis is away', async () => {
  const start = startDashboard({ redis: { url: 'redis://127.0.0.1:1' }, port: 0, logger: quiet })
  await expect(start).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' })
})
