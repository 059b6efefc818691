import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { type ObjectStore, openStore } from '@huntfleet/storage'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openTableReader } from './read-table.ts'
import { sourceRow } from './source-table.ts'
import { type StorageWatch, watchStorage } from './storage-watch.ts'

let folder: string
let store: ObjectStore
let watch: StorageWatch
const file = 'strategy=chaos/table=web_offset/run=r/abcdefgh.parquet'
const manifest = '_runs/strategy=chaos/run=r/manifest.json'

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'huntfleet-watch-'))
  store = await openStore({
    url: pathToFileURL(join(folder, 'staging')).href,
    endpoint: null,
    region: null,
    pathStyle: true,
  })
  const reader = await openTableReader(folder)
  watch = watchStorage(store, reader)
  onTestFinished(async () => {
    reader.close()
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })
})

const place = (key: string): string => join(folder, 'staging', key)

/** Writes a table of one row behind the store's back. */
async function writeTable(key: string): Promise<void> {
  await mkdir(dirname(place(key)), { recursive: true })
  const { i, key: name, at, text } = sourceRow('r', 'web_offset', 0)
  const database = await DuckDBInstance.create()
  const connection = await database.connect()
  await connection.run(
    `COPY (SELECT ${i}::BIGINT AS i, '${name}' AS key, TIMESTAMP '${at.slice(0, 19)}' AS "at", '${text}' AS text) TO '${place(key)}' (FORMAT parquet)`,
  )
  connection.closeSync()
  database.closeSync()
}

test('is content with a whole file that stays as it is', async () => {
  await writeTable(file)
  await watch.look()
  await watch.look()
  expect(watch.faults).toEqual([])
  expect([...watch.objects.keys()]).toEqual([file])
  expect(watch.looks).toBe(2)
})

test('finds a file that is visible before it is whole', async () => {
  await writeTable(file)
  await truncate(place(file), 100)
  await watch.look()
  expect(watch.faults.join()).toMatch(/abcdefgh.parquet was visible and not whole/)
})

test('finds a file that is replaced', async () => {
  await writeTable(file)
  await watch.look()
  await writeFile(place(file), 'something else')
  await watch.look()
  expect(watch.faults.join()).toMatch(/was replaced by something else/)
})

test('finds a manifest that is visible before it is whole, and one that is taken away', async () => {
  await mkdir(dirname(place(manifest)), { recursive: true })
  await writeFile(place(manifest), '{"manifest_version": 1')
  await watch.look()
  expect(watch.faults.join()).toMatch(/manifest.json was visible and not whole/)
})

test('finds a manifest that names a file which is not there', async () => {
  await mkdir(dirname(place(manifest)), { recursive: true })
  const { unfetchedEntry } = await import('@huntfleet/contract')
  const entry = unfetchedEntry('failed', 'why', { optional: false, columns: {} })
  const document = {
    manifest_version: 1,
    run_id: 'r',
    strategy: 'chaos',
    version: '',
    hunt: null,
    status: 'complete',
    params: {},
    scheduled_at: '',
    window: { start: null, end: null },
    started_at: '',
    finished_at: '',
    storage: '',
    huntfleet_version: '',
    tables: { web_offset: { ...entry, path: file, sha256: 'abc' } },
  }
  await writeFile(place(manifest), JSON.stringify(document))
  await watch.look()
  expect(watch.faults.join()).toMatch(/names strategy=chaos.*which held nothing/)
  await rm(place(manifest))
  await watch.look()
  expect(watch.faults.join()).toMatch(/manifest.json was taken away/)
})
