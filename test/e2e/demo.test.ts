import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { startRedis, startS3 } from '@huntfleet/testing'
import { afterAll, expect, test, vi } from 'vitest'
import { s3Storage } from './fixture/s3-storage.ts'

/** `npm run demo` as it stands in package.json, but for the set-up. It writes to S3 here, to leave the repository alone. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const redis = await startRedis()
const s3 = await startS3()
const given = test.skipIf(redis.skipped !== undefined || 'skipped' in s3)
afterAll(async () => {
  if (redis.skipped === undefined) await redis.stop()
  if (!('skipped' in s3)) await s3.stop()
})

/** Everything that the demo starts inherits this variable, but for the MCP servers, which end with the worker. */
const markName = 'HUNTFLEET_DEMO_MARK'

async function startDemo() {
  if ('skipped' in s3) throw new Error(s3.skipped)
  const storage = await s3Storage(s3)
  const mark = randomUUID()
  // No REDIS_URL: the demo shall start one of its own.
  const env = { ...process.env, ...storage.env, REDIS_URL: '', [markName]: mark }
  const child = spawn(process.execPath, ['--conditions=source', 'scripts/demo.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  return { child, storage, output: () => output, ended: once(child, 'close'), mark }
}

async function processesMarked(mark: string): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const marked = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
      return environment.includes(`${markName}=${mark}`) ? [pid] : []
    }),
  )
  return marked.flat()
}

given(
  'shows a complete run of two real servers, and leaves nothing running',
  { timeout: 90_000 },
  async () => {
    const { child, storage, output, ended, mark } = await startDemo()
    await ended
    expect(child.exitCode, output()).toBe(0)
    expect(output()).toMatch(/Run repo-inventory\.\S+ is complete\./)
    expect(output()).toMatch(/^files +complete +[1-9]/m)
    expect(output()).toMatch(/^commits +complete +[1-9]/m)
    expect(output()).toContain(`files: ${storage.url}/`)
    expect(output()).toContain('binding-schema.ts')
    const keys = await storage.keys()
    expect(keys.filter((key) => key.endsWith('.parquet'))).toHaveLength(2)
    expect(keys.filter((key) => key.endsWith('manifest.json'))).toHaveLength(1)
    expect(await processesMarked(mark)).toEqual([])
    await storage.close()
  },
)

given('stops what it has started when it is interrupted', { timeout: 60_000 }, async () => {
  const { child, storage, output, ended, mark } = await startDemo()
  await vi.waitFor(() => expect(output()).toContain('2. a worker'), { timeout: 40_000, interval: 20 })
  child.kill('SIGINT')
  await ended
  expect(child.exitCode, output()).toBe(130)
  expect(await processesMarked(mark)).toEqual([])
  await storage.close()
})
