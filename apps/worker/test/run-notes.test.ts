import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createMasker, type RunJob, unfetchedEntry } from '@huntfleet/contract'
import type { RunNote } from '@huntfleet/queue'
import { publishManifest } from '@huntfleet/storage'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lostEntries } from '../src/lost-entries.ts'
import { runNotes } from '../src/run-notes.ts'
import { type WorkerStore, workerStore } from '../src/worker-store.ts'
import { runJob } from './fakes.ts'

let root: string
let store: WorkerStore
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'huntfleet-notes-'))
  const url = pathToFileURL(root).href
  store = workerStore({ url, endpoint: null, region: null, pathStyle: false, layout: '{run_id}/{table}' })
})
afterEach(async () => {
  await store.close()
  await rm(root, { recursive: true })
})

const noteOf = (job: RunJob): RunNote => ({
  data: 'a1b2',
  startedAt: '2026-11-30T12:00:00.000Z',
  deadlineAt: '2026-12-01T12:00:00.000Z',
  job,
  sealed: job,
})

test('a note is there from the start of a run to its end', async () => {
  const notes = runNotes(store, createMasker([]), null)
  expect(await notes.list()).toEqual([])
  await notes.begin(noteOf(runJob('dns.1')))
  await notes.begin(noteOf(runJob('dns.1')))
  await notes.begin(noteOf(runJob('dns.2')))
  expect(await notes.list()).toEqual([noteOf(runJob('dns.1')), noteOf(runJob('dns.2'))])
  await notes.end(runJob('dns.1'))
  await notes.end(runJob('dns.1'))
  expect((await notes.list()).map((note) => note.job.runId)).toEqual(['dns.2'])
})

test('a note holds no secret, and a run with one cannot be run again from it', async () => {
  const masker = createMasker([{ name: 'token', value: 'hunter2-secret' }])
  const notes = runNotes(store, masker, null)
  await notes.begin(noteOf({ ...runJob('dns.1'), params: { token: 'hunter2-secret' } }))
  const [note] = await notes.list()
  expect(note?.sealed).toBe(null)
  expect(JSON.stringify(note)).not.toContain('hunter2')
  expect(note?.job.runId).toBe('dns.1')
})

test('notes that somebody else wrote, moved or did not sign are left out', async () => {
  await runNotes(store, createMasker([]), null).begin(noteOf(runJob('dns.1')))
  const signed = runNotes(store, createMasker([]), 'a-signing-key')
  expect(await signed.list()).toEqual([])
  const folder = join(root, '_started', 'strategy=dns')
  expect(await readdir(folder)).toEqual(['run=dns.1.json'])
  await writeFile(join(folder, 'run=dns.2.json'), JSON.stringify(noteOf(runJob('dns.3'))))
  await writeFile(join(folder, 'run=dns.4.json'), '{')
  await writeFile(join(folder, 'run=dns.5.json'), '{"data": 1}')
  const notes = runNotes(store, createMasker([]), null)
  expect((await notes.list()).map((note) => note.job.runId)).toEqual(['dns.1'])
})

const failed = unfetchedEntry('failed', 'gone', { optional: false, columns: { id: 'VARCHAR' } })

test('the entries of a lost run name the files that it left behind', async () => {
  const files = await store.root()
  await files.put('dns.1/events/a1.parquet', Buffer.from('rows'))
  await files.put('dns.1/eventsX/a1.parquet', Buffer.from('rows'))
  const entries = await lostEntries(runJob('dns.1'), 'dns', files, { events: failed })
  expect(entries['events']?.notes).toEqual([
    'the lost run left dns.1/events/a1.parquet (4 bytes), which is not part of the table',
  ])
})

test('a lost retry keeps what the execution before had', async () => {
  const files = await store.root()
  const there = {
    ...failed,
    outcome: 'page_error' as const,
    rows: 5,
    path: 'dns.1/events/a1.parquet',
    error: null,
  }
  const manifest = {
    ...{ manifest_version: 1 as const, run_id: 'dns.1', strategy: 'dns', version: '1', hunt: null },
    ...{ status: 'partial' as const, params: {}, scheduled_at: 't', started_at: 't', finished_at: 't' },
    ...{ window: { start: null, end: null }, storage: files.url, huntfleet_version: '0', retry: 1 },
    tables: { events: there, flows: { ...there, outcome: 'complete' as const, whole: true } },
  }
  await publishManifest(files, manifest, { retry: 1, deadline: Number.POSITIVE_INFINITY })
  const job = { ...runJob('dns.1'), retry: 2, tables: ['events'] }
  const entries = await lostEntries(job, 'dns', files, { events: { ...failed, retry: 2 } })
  expect(entries).toMatchObject({
    events: { rows: 5, retry: 1, history: [{ retry: 2, outcome: 'failed', reason: 'gone' }] },
    flows: { rows: 5, outcome: 'complete', history: [] },
  })
})
