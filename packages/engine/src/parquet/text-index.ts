import type { PageBuffer } from './page-buffer.ts'
import { prefixBytes } from './text-bytes.ts'

/** Finds texts of a page by their bytes: a hash table with open addressing, at most half full. */
export class TextIndex {
  readonly #texts: PageBuffer
  /** By slot: the number of a text and one more; 0 for none. */
  #slots = new Int32Array(1024)
  /** By text: its hash, and where its bytes begin. */
  #hashes = new Int32Array(512)
  #starts = new Int32Array(512)
  /** The hash of what was looked for last, and the free slot for it. */
  #hash = 0
  #free = 0
  size = 0

  /** `texts`: distinct texts, each behind its length, one after the other. */
  constructor(texts: PageBuffer) {
    this.#texts = texts
  }

  /** Where the bytes of a text begin. */
  start(id: number): number {
    return this.#starts[id]!
  }

  /** Where the bytes of a text end. */
  end(id: number): number {
    return this.#starts[id]! + this.#texts.view.getInt32(this.#starts[id]! - prefixBytes, true)
  }

  /** The number of the text that stands between two places of `source` and has that hash; -1: it is not there. */
  find(source: DataView, start: number, end: number, hash: number): number {
    const slots = this.#slots
    const starts = this.#starts
    const { view } = this.#texts
    const mask = slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const id = slots[slot]! - 1
      if (id < 0) {
        this.#hash = hash
        this.#free = slot
        return -1
      }
      const known = starts[id]!
      if (
        view.getInt32(known - prefixBytes, true) === end - start &&
        isEqual(view, known, source, start, end)
      )
        return id
    }
  }

  /** Adds the text that was looked for last, and not found; it begins at `start`. Returns its number. */
  add(start: number): number {
    const id = this.size++
    this.#hashes[id] = this.#hash
    this.#starts[id] = start
    this.#slots[this.#free] = id + 1
    if (this.size === this.#hashes.length) this.#grow()
    return id
  }

  #grow(): void {
    this.#hashes = doubled(this.#hashes)
    this.#starts = doubled(this.#starts)
    this.#slots = new Int32Array(2 * this.#slots.length)
    const mask = this.#slots.length - 1
    for (let id = 0; id < this.size; id++) {
      let slot = this.#hashes[id]! & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = id + 1
    }
  }
}

function doubled(values: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * values.length)
  larger.set(values)
  return larger
}

/**
 * The hash of a text: mixes four bytes at a time, the last ones with some before them; constants of MurmurHash3. It is that
 * of `wasm/column-texts.ts`.
 */
export function hashOf(source: DataView, start: number, end: number): number {
  let hash = end - start
  const last = end - 4
  if (last < start)
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ source.getUint8(at), 0x1b873593)
  else {
    for (let at = start; at < last; at += 4) hash = mixed(hash, source.getInt32(at, true))
    hash = mixed(hash, source.getInt32(last, true))
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ Math.imul(word, 0xcc9e2d51), 0x1b873593)
  return product ^ (product >>> 15)
}

function isEqual(texts: DataView, known: number, source: DataView, start: number, end: number): boolean {
  const last = end - 4
  const shift = known - start
  if (last < start) {
    for (let at = start; at < end; at++) if (texts.getUint8(at + shift) !== source.getUint8(at)) return false
    return true
  }
  for (let at = start; at < last; at += 4)
    if (texts.getInt32(at + shift, true) !== source.getInt32(at, true)) return false
  return texts.getInt32(last + shift, true) === source.getInt32(last, true)
}
