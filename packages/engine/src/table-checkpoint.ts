import {
  type CheckpointState,
  checkpointVersion,
  type FetchPlace,
  fromErrorDocument,
  maskedError,
  type SavedCheckpoint,
  type SavedEnd,
  type TableSpec,
  toRunError,
} from '@huntfleet/contract'
import type { Budget } from './budget.ts'
import type { FetchEnd } from './fetch-pages.ts'
import { firstPlace } from './fetch-place.ts'
import { fingerprintOf } from './fingerprint.ts'
import { untilAborted } from './mcp/until-aborted.ts'
import type { TableFile } from './table-file.ts'
import type { TablePipeline } from './table-pipeline.ts'
import type { Checkpoint, TablePorts } from './table-ports.ts'
import { isTaken, untilTaken } from './until-taken.ts'

/** Size as received of the pages that are kept unsealed: what going on from them costs. */
const openReceivedBytes = 64 * 1024 * 1024
/** Bytes of the file that are held back in memory. */
const openFileBytes = 16 * 1024 * 1024
/** How long a table that is given back waits for its last checkpoint. */
const lastSaveMs = 2_000

/** What the table knows beside its budget. */
type Progress = Omit<CheckpointState, 'savedAt' | 'budget'>

/** Keeps a table's checkpoint as its pages come, so that another worker can go on from it. */
export class TableCheckpoint {
  readonly #spec: TableSpec
  readonly #ports: TablePorts
  readonly #port: Checkpoint | undefined
  /** What was loaded and not been given up. */
  saved: SavedCheckpoint | null
  #progress: Progress
  /** Pages that the port does not have yet. */
  #unsaved: Uint8Array[] = []
  /** Ends when the save that was begun last has; never rejects. */
  #saving: Promise<void> = Promise.resolve()
  /** Whether the pages that the port has are of no use any more. */
  #newPart = false
  #packedBytes = 0
  #receivedBytes = 0

  /** Loads the checkpoint, if there is one. */
  static async open(spec: TableSpec, ports: TablePorts): Promise<TableCheckpoint> {
    const loading = ports.checkpoint?.load() ?? Promise.resolve(null)
    const saved = await untilTaken(loading, ports.signal)
    const progress = beginning(spec, ports)
    const fits =
      saved !== null && saved.state.spec === progress.spec && saved.state.source === progress.source
    if (saved !== null && !fits)
      ports.logger.warn('the checkpoint is not of this table: it begins again', { table: spec.table })
    return new TableCheckpoint(spec, ports, fits ? saved : null)
  }

  private constructor(spec: TableSpec, ports: TablePorts, saved: SavedCheckpoint | null) {
    this.#spec = spec
    this.#ports = ports
    this.#port = ports.checkpoint
    this.saved = saved
    this.#progress = saved?.state ?? beginning(spec, ports)
    this.#newPart = saved === null
    this.#port?.afterStored(() => this.#remove(this.#progress.sealed))
    this.#packedBytes = saved?.pages.reduce((sum, page) => sum + page.length, 0) ?? 0
  }

  /** The pages that were loaded are in the pipeline again, and need not be held any longer. */
  restored(): void {
    if (this.saved !== null) this.saved = { state: this.saved.state, pages: [] }
  }

  /** Whether there is anybody to go on. */
  get isKept(): boolean {
    return this.#port !== undefined
  }

  get startedOver(): boolean {
    return this.#progress.startedOver
  }

  /** Whether nothing more is to be asked for. */
  get ended(): boolean {
    return this.#progress.ended
  }

  get place(): FetchPlace {
    return this.#progress.place
  }

  /** How the parts before the open one ended. */
  get ends(): readonly FetchEnd[] {
    return this.#progress.ends.map((end) => ({
      ...end,
      error: end.error === null ? null : fromErrorDocument(end.error),
    }))
  }

  /** Notes of the table as a whole. */
  get notes(): readonly string[] {
    return this.#progress.notes
  }

  /** Notes where the open part stands, and saves it; `end` is how it ended. */
  async reached(
    at: { place: FetchPlace; end: FetchEnd | null; pages: number; rows: number },
    budget: Budget,
  ): Promise<void> {
    if (this.#port === undefined) return
    const { place, end, pages, rows } = at
    this.#progress = { ...this.#progress, pages, rows, place: this.#masked(place) }
    if (end !== null) this.#partEnded(end)
    await this.#save(budget)
  }

  /** Takes a page over; `reached` saves it. A part that has grown large enough is sealed first. */
  async keep(
    kept: Uint8Array,
    receivedBytes: number,
    { pipeline, file }: { pipeline: TablePipeline; file: TableFile },
  ): Promise<void> {
    this.#unsaved.push(kept)
    this.#packedBytes += kept.length
    this.#receivedBytes += receivedBytes
    if (
      this.#packedBytes <= (this.#port?.capacity ?? 0) &&
      this.#receivedBytes <= openReceivedBytes &&
      file.openBytes <= openFileBytes
    )
      return
    const sealing = pipeline.seal().then((memory) => file.seal(memory))
    const sealed = await untilTaken(sealing, this.#ports.signal)
    const { sha256State } = file
    this.#progress = { ...this.#progress, sealed: [...this.#progress.sealed, sealed], sha256State }
    this.#forgetPages()
  }

  /** Notes that no more will be asked for. Throws LOCK_LOST when the table is another worker's: it must not be published. */
  async allEnded(ends: readonly FetchEnd[], budget: Budget): Promise<void> {
    this.#progress = { ...this.#progress, ended: true, ends: ends.map((end) => this.#savedEnd(end)) }
    await this.#save(budget)
  }

  /** Gives everything up that has come; `once`: it may not be given up for such a reason again. */
  async startOver({ note, once }: { note: string; once: boolean }, budget: Budget): Promise<void> {
    const { notes, sealed, startedOver } = this.#progress
    this.#progress = {
      ...beginning(this.#spec, this.#ports),
      startedOver: startedOver || once,
      notes: [...notes, this.#ports.mask(note)],
    }
    this.saved = null
    this.#forgetPages()
    await this.#save(budget)
    // Only now: until it is saved, another worker may go on with them.
    await this.#remove(sealed)
  }

  /** Saves what is spent when the table is given back. Never rejects. */
  async givenBack(budget: Budget): Promise<void> {
    // After a storage that took no piece it may be more than is to be kept here.
    if (this.#port === undefined || this.#packedBytes > 2 * this.#port.capacity) return
    const saving = this.#saveNext(this.#port, budget)
    await untilAborted(saving, AbortSignal.timeout(lastSaveMs)).catch((error: unknown) => this.#warn(error))
  }

  #forgetPages(): void {
    this.#unsaved = []
    this.#newPart = true
    this.#packedBytes = 0
    this.#receivedBytes = 0
  }

  #partEnded(end: FetchEnd): void {
    const ends = [...this.#progress.ends, this.#savedEnd(end)]
    this.#progress = { ...this.#progress, ends, place: firstPlace }
  }

  #savedEnd({ outcome, reason, proof, error, notes, server }: FetchEnd): SavedEnd {
    const { mask } = this.#ports
    return {
      outcome,
      reason: mask(reason),
      proof,
      error: error === null ? null : maskedError(error, mask),
      notes: notes.map(mask),
      server,
    }
  }

  #masked(place: FetchPlace): FetchPlace {
    return { ...place, notes: place.notes.map(this.#ports.mask) }
  }

  #current(budget: Budget) {
    const savedAt = new Date(this.#ports.clock.now()).toISOString()
    const state: CheckpointState = { ...this.#progress, savedAt, budget: budget.spent }
    return { state, pages: this.#unsaved, newPart: this.#newPart }
  }

  /** A checkpoint that cannot be written is no reason to stop: the next one is. */
  async #save(budget: Budget): Promise<void> {
    const { signal } = this.#ports
    if (this.#port === undefined) return
    try {
      await untilAborted(this.#saveNext(this.#port, budget), signal)
    } catch (thrown) {
      if (isTaken(signal)) throw signal.reason
      // A table that was ended from outside is published as it is, and nobody goes on with it.
      if (signal.aborted) return
      if (toRunError(thrown).code === 'LOCK_LOST') throw thrown
      this.#warn(thrown)
    }
  }

  /**
   * Saves once the save before has ended, also one that nobody waits for any more: it may have taken the pages, and
   * would be given them twice.
   */
  #saveNext(port: Checkpoint, budget: Budget): Promise<void> {
    const saving = this.#saving.then(async () => {
      const unsaved = this.#unsaved
      const taken = unsaved.length
      await port.save(this.#current(budget))
      if (this.#unsaved !== unsaved) return
      this.#unsaved = unsaved.slice(taken)
      this.#newPart = false
    })
    this.#saving = saving.catch(() => {})
    return saving
  }

  #warn(error: unknown): void {
    this.#ports.logger.warn('the checkpoint could not be saved', {
      table: this.#spec.table,
      error: this.#ports.mask(toRunError(error).message),
    })
  }

  async #remove(sealed: Progress['sealed']): Promise<void> {
    for (const { piece, memory } of sealed) {
      for (const object of [piece, memory])
        if (object !== null) await this.#ports.store.delete(object.key).catch(() => {})
    }
  }
}

function beginning(spec: TableSpec, { source = 'live' }: TablePorts): Progress {
  return {
    v: checkpointVersion,
    spec: fingerprintOf(JSON.stringify(spec)),
    source,
    startedOver: false,
    notes: [],
    ends: [],
    place: firstPlace,
    ended: false,
    pages: 0,
    rows: 0,
    sealed: [],
    sha256State: null,
  }
}
