import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../src/open-store.ts'

const settings = { endpoint: null, region: null, pathStyle: false }
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'huntfleet-open-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

describe('openStore', () => {
  it('opens a folder by its file URL, escapes included', async () => {
    const root = join(folder, 'a b#c')
    const store = await openStore({ ...settings, url: pathToFileURL(root).href })
    await store.put('k', Buffer.from('x'))
    expect(await readFile(join(root, 'k'), 'utf8')).toBe('x')
    await store.close()
  })

  it('opens a bucket by its S3 URL, without a request', async () => {
    const store = await openStore({ ...settings, endpoint: 'http://127.0.0.1:1', url: 's3://lake/hunts/' })
    expect(store.url).toBe('s3://lake/hunts')
    await store.close()
  })

  it.each(['file://./staging', 'file://host/share', 'file:///a?b', 'file:///a#b', 'file:///a%2fb'])(
    'refuses %s, which is no absolute file URL',
    async (url) => {
      await expect(openStore({ ...settings, url })).rejects.toMatchObject({
        code: 'SINK_INVALID',
        context: { hint: expect.stringContaining('file:///absolute/path') },
      })
    },
  )

  it.each(['gs://bucket', '/var/data', 'constructor://x', 'https://KEY:SECRET@host/x', ''])(
    'refuses %j and names the valid schemes',
    async (url) => {
      await expect(openStore({ ...settings, url })).rejects.toMatchObject({
        code: 'SINK_INVALID',
        message: expect.stringMatching(/^(?!.*SECRET).*file:\/\/ or s3:\/\//),
      })
    },
  )

  it('loads no S3 client for a folder', async () => {
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
      const { openStore } = await import(${JSON.stringify(new URL('../src/open-store.ts', import.meta.url).href)})
      await openStore(${JSON.stringify({ ...settings, url: pathToFileURL(folder).href })})
      process.stdout.write(JSON.stringify({ all: loaded.length, sdk: loaded.filter((url) => /aws-sdk|smithy/.test(url)).length }))`
    const args = ['--conditions=source', '--input-type=module', '--eval', script]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { all, sdk } = JSON.parse(stdout)
    expect(all).toBeGreaterThan(5)
    expect(sdk).toBe(0)
  })
})
