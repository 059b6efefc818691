import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RunError } from '@huntfleet/contract'
import { type ObjectStore, openStore } from '@huntfleet/storage'
import { startS3 } from '@huntfleet/testing'
import { afterAll, expect, test, vi } from 'vitest'
import { runTable } from '../src/run-table.ts'
import type { TablePorts } from '../src/table-ports.ts'
import { CheckpointPlace } from './memory-checkpoint.ts'
import { pagedSource } from './paged-source.ts'
import { ScriptedSessions } from './scripted-sessions.ts'
import { fetchSpec, pagedBy, tableSpec } from './spec-fixture.ts'
import { errorOf, readRows, tablePorts } from './table-run.ts'

/** Tables in pieces, in a real folder and a real S3, gone on with by another worker. */

vi.setConfig({ testTimeout: 60_000 })
const s3 = await startS3()
const folder = await mkdtemp(join(tmpdir(), 'huntfleet-pieces-'))
afterAll(async () => {
  if (!('skipped' in s3)) await s3.stop()
  await rm(folder, { recursive: true, force: true })
})

async function openS3(): Promise<ObjectStore> {
  if ('skipped' in s3) throw new Error('skipped')
  process.env['AWS_ACCESS_KEY_ID'] = s3.accessKeyId
  process.env['AWS_SECRET_ACCESS_KEY'] = s3.secretAccessKey
  const url = `s3://${await s3.createBucket()}/staging`
  return openStore({ url, endpoint: s3.endpoint, region: s3.region, pathStyle: true })
}

const openFolder = () =>
  openStore({ url: pathToFileURL(folder).href, endpoint: null, region: null, pathStyle: false })

async function keysOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list('')) if (!key.startsWith('.huntfleet/')) keys.push(key)
  return keys
}

async function publishesInPieces(store: ObjectStore): Promise<void> {
  try {
    const spec = tableSpec([fetchSpec({ pagination: pagedBy('cursor') })])
    const { answer } = pagedSource({ total: 97 })
    const place = new CheckpointPlace()
    const ports = (
      from: ScriptedSessions,
    ): TablePorts & { checkpoint: ReturnType<CheckpointPlace['open']> } => ({
      ...tablePorts(from),
      store,
      checkpoint: place.open(500),
    })
    const dying = new ScriptedSessions((call) => {
      if (call.number > 6) throw new RunError('LOCK_LOST', 'died')
      return answer(call)
    })
    await errorOf(runTable(spec, ports(dying)))
    const pieces = (await keysOf(store)).filter((key) => key.endsWith('.part'))
    expect(pieces.length).toBeGreaterThan(1)
    expect(await keysOf(store)).toEqual(pieces.flatMap((key) => [key, `${key}.memory`]))

    const heir = new ScriptedSessions(answer)
    const own = ports(heir)
    const entry = await runTable(spec, own)
    expect(heir.calls).toHaveLength(4)
    const bytes = (await store.get(entry.path ?? '')) ?? new Uint8Array()
    expect(entry.bytes).toBe(bytes.length)
    expect(entry.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    const ids = (await readRows(bytes)).map(({ id }) => Number(id))
    expect(ids).toEqual(Array.from({ length: 97 }, (_, id) => id))
    for (const work of own.checkpoint.afterwards) await work()
    expect(await keysOf(store)).toEqual([entry.path])
  } finally {
    await store.close()
  }
}

test('a table in pieces becomes one file of a folder', async () => {
  await publishesInPieces(await openFolder())
})

test.skipIf('skipped' in s3)('a table in pieces becomes one object of S3', async () => {
  await publishesInPieces(await openS3())
})
