import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startS3 } from '../src/s3-server.ts'

const started = await startS3()
const s3 = 'skipped' in started ? null : started

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Processes whose command line holds `text`. */
async function processes(text: string): Promise<string[]> {
  const all = await new Promise<string>((resolve) => {
    execFile('ps', ['-eo', 'stat=,args='], (_, stdout) => resolve(stdout))
  })
  return all.split('\n').filter((line) => line.includes(text) && !line.startsWith('Z'))
}

async function answers(endpoint: string): Promise<boolean> {
  return await fetch(endpoint).then(
    () => true,
    () => false,
  )
}

describe.skipIf(s3 === null)('the S3 fixture', () => {
  it('makes a bucket of its own for every caller and refuses strangers', async () => {
    const buckets = await Promise.all([s3?.createBucket(), s3?.createBucket()])
    expect(new Set(buckets).size).toBe(2)
    const anonymous = await fetch(`${s3?.endpoint}/${buckets[0]}`)
    expect(anonymous.status).toBe(403)
  })

  it('runs beside other instances and leaves nothing running after stop', async () => {
    const another = await startS3()
    if ('skipped' in another || s3 === null) throw new Error('a server has been started before')
    expect(await answers(another.endpoint)).toBe(true)
    await another.stop()
    await s3.stop()
    if (s3.kind === 'radosgw') {
      expect(await answers(another.endpoint)).toBe(false)
      expect(await answers(s3.endpoint)).toBe(false)
    }
  })

  it.skipIf(s3?.kind !== 'radosgw')('leaves nothing running when the test process is killed', async () => {
    const module = JSON.stringify(new URL('../src/s3-server.ts', import.meta.url).href)
    const script = `const { startS3 } = await import(${module}); console.log((await startS3()).endpoint); setInterval(() => {}, 1000)`
    const args = ['--conditions=source', '--input-type=module', '--eval', script]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line]: unknown[] = await once(child.stdout, 'data')
    const endpoint = String(line).trim()
    expect(await answers(endpoint)).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await expect.poll(() => answers(endpoint)).toBe(false)
    const port = new URL(endpoint).port
    await expect.poll(() => processes(`127.0.0.1:${port}`)).toEqual([])
  })
})

describe('an S3 server that is given', () => {
  it('is used as it is', async () => {
    vi.stubEnv('TEST_S3_ENDPOINT', 'http://127.0.0.1:1')
    vi.stubEnv('TEST_S3_ACCESS_KEY', 'key')
    vi.stubEnv('TEST_S3_SECRET_KEY', 'secret')
    vi.stubEnv('TEST_S3_REGION', undefined)
    expect(await startS3()).toMatchObject({
      kind: 'given',
      endpoint: 'http://127.0.0.1:1',
      region: 'us-east-1',
      accessKeyId: 'key',
      secretAccessKey: 'secret',
    })
  })
})
