import { execFile } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openLocalStore } from '../src/local-store.ts'
import type { ObjectStore } from '../src/object-store.ts'
import { assembleSuite } from './assemble.suite.ts'
import { keysOf, objectStoreSuite, textOf } from './object-store.suite.ts'

const body = Buffer.from('rows')
let scratch: string
let root: string
let store: ObjectStore

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'huntfleet-store-'))
})
beforeEach(async () => {
  root = await mkdtemp(join(scratch, 'root-'))
  store = await openLocalStore(root)
})
afterAll(async () => {
  await rm(scratch, { recursive: true })
})

describe('a local store', () => {
  objectStoreSuite(() => store)
  assembleSuite(() => store)

  it('is named by the URL of its folder', () => {
    expect(store.url).toBe(pathToFileURL(root).href)
  })

  it('makes its root, and keeps folders and files private to the user', async () => {
    const deep = join(root, 'made/for/us')
    const made = await openLocalStore(deep)
    await made.put('a/b', body)
    for (const folder of [deep, join(deep, '.tmp'), join(deep, 'a')]) {
      expect((await lstat(folder)).mode & 0o777).toBe(0o700)
    }
    expect((await lstat(join(deep, 'a/b'))).mode & 0o777).toBe(0o600)
  })

  it('leaves no unfinished file behind, whatever became of the writer', async () => {
    await store.put('a', body)
    await store.put('a', body, { createOnly: true })
    await (await store.create('b')).commit()
    await (await store.create('c')).abort()
    const late = await store.create('d')
    await store.put('d', body)
    await expect(late.commit()).rejects.toMatchObject({ code: 'SINK_INVALID' })
    expect(await readdir(join(root, '.tmp'))).toEqual([])
    expect(await readFile(join(root, 'd'))).toEqual(body)
  })

  it('never lists or reads unfinished files', async () => {
    const writer = await store.create('a')
    await writer.write(body)
    const [unfinished] = await readdir(join(root, '.tmp'))
    expect(await keysOf(store, '')).toEqual([])
    await expect(store.get(`.tmp/${unfinished}`)).rejects.toMatchObject({ code: 'SINK_INVALID' })
    await writer.abort()
  })

  it('sweeps files that a killed writer left a day ago, and no younger ones', async () => {
    await writeFile(join(root, '.tmp/old'), body)
    await writeFile(join(root, '.tmp/young'), body)
    const dayAgo = Date.now() / 1000 - 25 * 3600
    await utimes(join(root, '.tmp/old'), dayAgo, dayAgo)
    await openLocalStore(root)
    expect(await readdir(join(root, '.tmp'))).toEqual(['young'])
  })

  it('passes over files whose names cannot be keys', async () => {
    await writeFile(join(root, 'back\\slash'), body)
    await store.put('a', body)
    expect(await keysOf(store, '')).toEqual(['a'])
  })

  it('works without fsync', async () => {
    const quick = await openLocalStore(root, { fsync: false })
    expect((await quick.put('x/y', body, { createOnly: true })).created).toBe(true)
    expect(await textOf(quick, 'x/y')).toBe('rows')
  })
})

describe('a symbolic link below a local store', () => {
  let outside: string

  beforeEach(async () => {
    outside = await mkdtemp(join(scratch, 'outside-'))
    await writeFile(join(outside, 'secret'), 'secret')
  })

  const refused = { code: 'SINK_DENIED', message: expect.stringContaining('symbolic link') }

  it('is not followed as a folder', async () => {
    await symlink(outside, join(root, 'folder'))
    await expect(store.get('folder/secret')).rejects.toMatchObject(refused)
    await expect(store.head('folder/secret')).rejects.toMatchObject(refused)
    await expect(store.put('folder/new', body)).rejects.toMatchObject(refused)
    await expect(store.put('folder/deep/new', body, { createOnly: true })).rejects.toMatchObject(refused)
    await expect(store.create('folder/new')).rejects.toMatchObject(refused)
    await expect(store.delete('folder/secret')).rejects.toMatchObject(refused)
    await expect(keysOf(store, 'folder/')).rejects.toMatchObject(refused)
    expect(await readdir(outside)).toEqual(['secret'])
  })

  it('is not followed as a file', async () => {
    await symlink(join(outside, 'secret'), join(root, 'file'))
    await expect(store.get('file')).rejects.toMatchObject(refused)
    await expect(store.head('file')).rejects.toMatchObject(refused)
    await expect(store.create('file')).rejects.toMatchObject(refused)
    await expect(store.delete('file')).rejects.toMatchObject(refused)
    await expect(keysOf(store, '')).rejects.toMatchObject(refused)
    expect((await store.put('file', body, { createOnly: true })).created).toBe(false)
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
  })

  it('is replaced, not written through', async () => {
    await symlink(join(outside, 'secret'), join(root, 'file'))
    await store.put('file', body)
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
    expect(await textOf(store, 'file')).toBe('rows')
  })

  it('that dangles is not filled', async () => {
    await symlink(join(outside, 'new'), join(root, 'file'))
    expect((await store.put('file', body, { createOnly: true })).created).toBe(false)
    expect(await readdir(outside)).toEqual(['secret'])
  })

  it('is refused as the folder of unfinished files', async () => {
    await rm(join(root, '.tmp'), { recursive: true })
    await symlink(outside, join(root, '.tmp'))
    await expect(store.put('a', body)).rejects.toMatchObject(refused)
    await expect(openLocalStore(root)).rejects.toMatchObject(refused)
    expect(await readdir(outside)).toEqual(['secret'])
  })

  it('may be the root itself', async () => {
    await symlink(root, join(outside, 'link'))
    const linked = await openLocalStore(join(outside, 'link'))
    await linked.put('a', body)
    expect(await readFile(join(root, 'a'))).toEqual(body)
  })
})

describe('a local store that cannot write', () => {
  it('names the path and what to do when a file stands where a folder should be', async () => {
    await store.put('table', body)
    await expect(store.put('table/file', body)).rejects.toMatchObject({
      code: 'SINK_INVALID',
      message: expect.stringContaining(join(root, 'table')),
      context: { hint: expect.stringContaining('move that file away') },
    })
    expect(await readdir(join(root, '.tmp'))).toEqual([])
  })

  it('says so when the root is a file', async () => {
    await writeFile(join(scratch, 'a-file'), 'x')
    await expect(openLocalStore(join(scratch, 'a-file'))).rejects.toMatchObject({ code: 'SINK_INVALID' })
    await expect(openLocalStore(join(scratch, 'a-file/below'))).rejects.toMatchObject({
      code: 'SINK_INVALID',
    })
  })

  it('does not replace a folder by an object', async () => {
    await mkdir(join(root, 'folder'))
    await expect(store.put('folder', body)).rejects.toMatchObject({ code: 'SINK_INVALID' })
    expect((await lstat(join(root, 'folder'))).isDirectory()).toBe(true)
  })

  it('commits nothing after a write that the system cut off', async () => {
    // The limit on the size of files stands in for a full disk: the system takes some of the bytes and then fails.
    const script = `
      const { openLocalStore } = await import(${JSON.stringify(new URL('../src/local-store.ts', import.meta.url).href)})
      const writer = await (await openLocalStore(${JSON.stringify(root)})).create('table')
      const outcome = (promise) => promise.then(() => 'done', ({ code }) => code)
      const outcomes = [await outcome(writer.write(Buffer.alloc(1_000_000))), await outcome(writer.commit())]
      await writer.abort()
      process.stdout.write(outcomes.join())`
    const limited = ['-c', 'ulimit -f 100; exec "$@"', 'sh', process.execPath]
    const args = [...limited, '--conditions=source', '--input-type=module', '--eval', script]
    const { stdout } = await promisify(execFile)('sh', args)
    expect(stdout).toBe('SINK_INVALID,INTERNAL')
    expect(await keysOf(store, '')).toEqual([])
    expect(await readdir(join(root, '.tmp'))).toEqual([])
  })

  it('stores nothing in a root that was removed meanwhile', async () => {
    await rm(root, { recursive: true })
    await expect(store.put('a', body)).rejects.toMatchObject({ code: 'SINK_UNREACHABLE' })
  })
})
