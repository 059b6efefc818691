import {
  type CheckpointSave,
  chainPage,
  noPages,
  openCheckpoint,
  RunError,
  type SavedCheckpoint,
  sealCheckpoint,
} from '@huntfleet/contract'
import type { Checkpoint } from '../src/table-ports.ts'

/** A place for one table's checkpoint that outlives its workers; only the one that opened it last may write. */
export class CheckpointPlace {
  text: string | null = null
  pages: Uint8Array[] = []
  /** Largest sum of the pages' bytes that ever stood here. */
  largest = 0
  #owner = 0

  /** The checkpoint in the hands of a new worker. */
  open(capacity = 5 * 1024 * 1024, step: (what: string) => void = () => {}): MemoryCheckpoint {
    this.#owner += 1
    return new MemoryCheckpoint(this, this.#owner, capacity, step)
  }

  isOwner(owner: number): boolean {
    return owner === this.#owner
  }

  /** The table's entry is stored. */
  clear(): void {
    this.text = null
    this.pages = []
  }
}

export class MemoryCheckpoint implements Checkpoint {
  readonly capacity: number
  readonly afterwards: (() => Promise<void>)[] = []
  saves = 0
  readonly #place: CheckpointPlace
  readonly #owner: number
  readonly #step: (what: string) => void

  constructor(place: CheckpointPlace, owner: number, capacity: number, step: (what: string) => void) {
    this.#place = place
    this.#owner = owner
    this.capacity = capacity
    this.#step = step
  }

  async load(): Promise<SavedCheckpoint | null> {
    this.#step('load')
    if (this.#place.text === null) return null
    const opened = openCheckpoint('job', this.#place.text, this.#place.pages, 'key')
    return typeof opened === 'string' ? null : opened
  }

  async save({ state, pages, newPart }: CheckpointSave): Promise<void> {
    this.#step('before save')
    if (!this.#place.isOwner(this.#owner)) throw new RunError('LOCK_LOST', 'the table is another worker’s')
    this.#place.pages = [...(newPart ? [] : this.#place.pages), ...pages]
    this.#place.text = sealCheckpoint('job', state, this.#place.pages.reduce(chainPage, noPages), 'key')
    this.#place.largest = Math.max(
      this.#place.largest,
      this.#place.pages.reduce((sum, page) => sum + page.length, 0),
    )
    this.saves += 1
    this.#step('after save')
  }

  afterStored(work: () => Promise<void>): void {
    this.afterwards.push(work)
  }
}
