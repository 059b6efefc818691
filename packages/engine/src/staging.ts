import { createHash } from 'node:crypto'
import {
  type PageEntry,
  RunError,
  type SavedCheckpoint,
  type TableSpec,
  toRunError,
} from '@huntfleet/contract'
import type { ParseDeadline } from './format.ts'
import type { TableCheckpoint } from './table-checkpoint.ts'
import { openTableFile, piecesOf, type TableFile } from './table-file.ts'
import type { TablePipeline } from './table-pipeline.ts'
import type { TablePorts } from './table-ports.ts'

/** A table on its way into its file. */
export interface Staging {
  readonly pipeline: TablePipeline
  readonly file: TableFile
  /** Its pages so far. */
  readonly ledger: PageEntry[]
  /** Its rows so far. */
  readonly rows: number
  readonly knowsDoubles: boolean
}

/** Sidecars that are read at once. */
const readsAtOnce = 16

/**
 * Begins a table, or goes on with it where its checkpoint says, without asking the source. A checkpoint that cannot be
 * gone on from is given up, and the table begins again: what it would bring is not trusted.
 */
export async function openStaging(
  spec: TableSpec,
  ports: TablePorts,
  checkpoint: TableCheckpoint,
): Promise<Staging> {
  const { saved } = checkpoint
  const file = await openTableFile(spec, ports.store, checkpoint.isKept ? (saved?.state ?? nothingYet) : null)
  let pipeline: TablePipeline | undefined
  try {
    pipeline = ports.openPipeline(spec, {
      compression: ports.compression,
      parquetEngine: ports.parquetEngine,
      keepPages: checkpoint.isKept,
      write: (bytes) => file.write(bytes),
    })
    const begun: Staging = { pipeline, file, ledger: [], rows: 0, knowsDoubles: spec.dedupeKey.length > 0 }
    if (saved === null) return begun
    const staging = await restored(begun, saved, spec, ports)
    checkpoint.restored()
    return staging
  } catch (error) {
    pipeline?.close()
    await file.abort()
    throw error
  }
}

const nothingYet = { sealed: [], sha256State: null }

/** Why a checkpoint cannot be gone on from. */
export class CheckpointUnusable extends Error {}

async function restored(
  staging: Staging,
  { state, pages }: SavedCheckpoint,
  spec: TableSpec,
  ports: TablePorts,
): Promise<Staging> {
  try {
    return await restoredUnchecked(staging, { state, pages }, spec, ports)
  } catch (thrown) {
    ports.signal.throwIfAborted()
    const error = toRunError(thrown)
    // It may be used later: the storage does not answer now, or the pipeline is gone.
    if (error.kind === 'cancelled' || ['SINK_UNREACHABLE', 'THREAD_LOST'].includes(error.code)) throw error
    throw new CheckpointUnusable(error.message, { cause: error })
  }
}

async function restoredUnchecked(
  staging: Staging,
  { state, pages }: SavedCheckpoint,
  spec: TableSpec,
  ports: TablePorts,
): Promise<Staging> {
  const { pipeline, ledger } = staging
  const memories = await readMemories(state.sealed, spec, ports)
  let place = await pipeline.restore(memories)
  ledger.push(...place.ledger)
  for (const page of pages) {
    ports.signal.throwIfAborted()
    place = await pipeline.storeAgain(page, deadlineOf(spec, ports))
    ledger.push(...place.ledger)
  }
  const { rows, knowsDoubles } = place
  if (rows !== state.rows || ledger.length !== state.pages) {
    throw new Error(
      `it should hold ${state.rows} rows of ${state.pages} pages and holds ${rows} rows of ${ledger.length} pages`,
    )
  }
  return { ...staging, rows, knowsDoubles }
}

/** Long enough for any page that was read within its call’s timeout before. */
function deadlineOf(spec: TableSpec, { signal }: TablePorts): ParseDeadline {
  return { timeoutMs: 2 * Math.max(...spec.fetches.map((fetch) => fetch.timeoutMs)), signal }
}

/** What must be remembered of the sealed parts. Who can write to Redis must not choose what is read as such. */
async function readMemories(
  sealed: SavedCheckpoint['state']['sealed'],
  spec: TableSpec,
  { store }: TablePorts,
): Promise<Uint8Array[]> {
  const folder = piecesOf(spec)
  const read = async ({ piece, memory }: (typeof sealed)[number]): Promise<Uint8Array> => {
    for (const object of [piece, memory]) {
      const name = object?.key.slice(folder.length) ?? ''
      if (object !== null && (!object.key.startsWith(folder) || name.includes('/')))
        throw new Error(`${JSON.stringify(object.key)} is not a piece of this table`)
    }
    const bytes = await store.get(memory.key)
    const sha256 = bytes === null ? '' : createHash('sha256').update(bytes).digest('hex')
    if (bytes === null || sha256 !== memory.sha256)
      throw new RunError('PIECE_LOST', `${memory.key} is gone or not what it was`)
    return bytes
  }
  const memories: Uint8Array[] = []
  for (let at = 0; at < sealed.length; at += readsAtOnce)
    memories.push(...(await Promise.all(sealed.slice(at, at + readsAtOnce).map(read))))
  return memories
}
