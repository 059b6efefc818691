import { isDeepStrictEqual } from 'node:util'
import { type Json, jsonSchema, type Masker, RunError, type RunJob, runJobSchema } from '@huntfleet/contract'
import { openPayload, type RunNote, type RunNotes } from '@huntfleet/queue'
import type { ObjectStore } from '@huntfleet/storage'
import type { WorkerStore } from './worker-store.ts'

const folder = '_started/'

/**
 * Notes of the runs that are under way, one small object each, below the worker's own storage: what Redis loses is found
 * here. A note is removed when its run has ended, so a listing is as long as the fleet is busy.
 */
export function runNotes(store: WorkerStore, masker: Masker, signingKey: string | null): RunNotes {
  return {
    async begin(note) {
      const text = JSON.stringify(maskedNote(note, masker))
      const root = await store.root()
      await root.put(keyOf(note.job), Buffer.from(`${text}\n`), { contentType: 'application/json' })
    },
    async end(job) {
      await (await store.root()).delete(keyOf(job))
    },
    async list() {
      const root = await store.root()
      const notes: RunNote[] = []
      for await (const { key } of root.list(folder)) {
        const note = await readNote(root, key, signingKey)
        if (note !== null) notes.push(note)
      }
      return notes
    },
  }
}

function keyOf({ bundle, runId }: RunJob): string {
  return `${folder}strategy=${bundle.contract['name']}/run=${runId}.json`
}

/** A payload with a secret in it is kept masked, for reports only: run again it would ask something else. */
function maskedNote(note: RunNote, masker: Masker): object {
  const { sealed, ...rest } = jsonNote(note)
  return { ...rest, job: masker.maskJson(rest.job), sealed: keepsSecret(sealed, masker) ? null : sealed }
}

function jsonNote(note: RunNote): { job: Json; sealed: Json } {
  const json = jsonSchema.parse(JSON.parse(JSON.stringify(note)))
  if (json === null || typeof json !== 'object' || Array.isArray(json))
    throw new RunError('INTERNAL', 'a note is an object')
  return { ...json, job: json['job'] ?? null, sealed: json['sealed'] ?? null }
}

function keepsSecret(sealed: Json, masker: Masker): boolean {
  return !isDeepStrictEqual(masker.maskJson(sealed), sealed)
}

/** null: it is not a note that this worker can read or trust. */
async function readNote(root: ObjectStore, key: string, signingKey: string | null): Promise<RunNote | null> {
  const bytes = await root.get(key)
  if (bytes === null) return null
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return null
  }
  if (value === null || typeof value !== 'object') return null
  const { data, startedAt, deadlineAt, job, sealed } = { ...noNote, ...value }
  if (typeof data !== 'string' || !isTime(startedAt) || !(deadlineAt === null || isTime(deadlineAt)))
    return null
  if (sealed === null || typeof sealed !== 'object') {
    const masked = runJobSchema.safeParse(job)
    if (!masked.success || keyOf(masked.data) !== key) return null
    return { data, startedAt, deadlineAt, job: masked.data, sealed: null }
  }
  const opened = openPayload('run', sealed, signingKey)
  if (opened.is !== 'ours' || keyOf(opened.payload) !== key) return null
  return { data, startedAt, deadlineAt, job: opened.payload, sealed }
}

const noNote: Readonly<Record<string, unknown>> = {
  data: null,
  startedAt: null,
  deadlineAt: null,
  job: null,
  sealed: null,
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}
