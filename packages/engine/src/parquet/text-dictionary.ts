import { compareWithin } from './byte-order.ts'
import { packedRun, repeatedRun } from './levels.ts'
import { PageBuffer } from './page-buffer.ts'
import { appendSlice, appendText, prefixBytes } from './text-bytes.ts'
import { hashOf, TextIndex } from './text-index.ts'
import type { DictionaryPage, PageValues } from './value-encoder.ts'

/** The distinct texts of a column chunk, in the order in which they came, and the open page's references to them. */
export class TextDictionary {
  readonly #texts = new PageBuffer()
  readonly #index = new TextIndex(this.#texts)
  /** The page in which each text was seen last. */
  #seen = new Int32Array(256).fill(-1)
  #pages = 0
  #page = new Uint32Array(1024)
  #count = 0
  #minId = 0
  #maxId = 0
  /** Whether a page that refers to it has been taken. */
  used = false

  /** Distinct texts. */
  get size(): number {
    return this.#index.size
  }

  /** Bytes of the distinct texts. */
  get bytes(): number {
    return this.#texts.length
  }

  /** Values of the open page. */
  get count(): number {
    return this.#count
  }

  /** Adds a text. */
  add(text: string): void {
    const from = this.#texts.length
    appendText(this.#texts, text)
    const { view, length } = this.#texts
    const start = from + prefixBytes
    const known = this.#index.find(view, start, length, hashOf(view, start, length))
    if (known < 0) this.#refer(this.#index.add(start))
    else {
      // It stands there already.
      this.#texts.length = from
      this.#refer(known)
    }
  }

  /** Adds the text whose UTF-8 stands between two places, with its hash. */
  addSlice(source: DataView, start: number, end: number, hash: number): void {
    const known = this.#index.find(source, start, end, hash)
    if (known >= 0) this.#refer(known)
    else {
      const from = this.#texts.length
      appendSlice(this.#texts, source, start, end)
      this.#refer(this.#index.add(from + prefixBytes))
    }
  }

  #refer(id: number): void {
    if (this.#count === this.#page.length) {
      const before = this.#page
      this.#page = new Uint32Array(2 * before.length)
      this.#page.set(before)
    }
    this.#page[this.#count++] = id
    if (this.#seen[id] !== this.#pages) this.#notice(id)
  }

  /** A text that is new to the open page may be its smallest or largest. */
  #notice(id: number): void {
    if (id >= this.#seen.length) {
      const before = this.#seen
      this.#seen = new Int32Array(2 * before.length).fill(-1)
      this.#seen.set(before)
    }
    this.#seen[id] = this.#pages
    if (this.#count === 1) {
      this.#minId = id
      this.#maxId = id
    } else if (this.#compare(id, this.#minId) < 0) this.#minId = id
    else if (this.#compare(id, this.#maxId) > 0) this.#maxId = id
  }

  #compare(id: number, other: number): number {
    const index = this.#index
    return compareWithin(
      this.#texts.bytes,
      index.start(id),
      index.end(id),
      index.start(other),
      index.end(other),
    )
  }

  /** The values of the open page with their length prefixes, one after the other; drops the page. */
  *takeValues(): Generator<Uint8Array> {
    for (let index = 0; index < this.#count; index++) yield this.#text(this.#page[index]!, prefixBytes)
    this.#count = 0
    this.#pages++
  }

  /** A text, and so many bytes that stand before it. */
  #text(id: number, before: number): Uint8Array {
    return this.#texts.bytes.subarray(this.#index.start(id) - before, this.#index.end(id))
  }

  takePage(): PageValues {
    const width = Math.max(1, 32 - Math.clz32(this.#index.size - 1))
    const ids = this.#page.subarray(0, this.#count)
    const run = this.#minId === this.#maxId ? repeatedIds(ids, width) : packedRun(ids, width)
    const bytes = new Uint8Array(1 + run.length)
    bytes[0] = width
    bytes.set(run, 1)
    const page = {
      bytes,
      encoding: 'RLE_DICTIONARY' as const,
      min: Uint8Array.from(this.#text(this.#minId, 0)),
      max: Uint8Array.from(this.#text(this.#maxId, 0)),
      unordered: false,
    }
    this.used = true
    this.#count = 0
    this.#pages++
    return page
  }

  toPage(): DictionaryPage {
    return { bytes: this.#texts.content(), values: this.#index.size }
  }
}

/** References that are all the same. A repeated value takes as many whole bytes as its width needs. */
function repeatedIds(ids: Uint32Array, width: number): Uint8Array {
  const id = ids[0] ?? 0
  return width <= 8 ? repeatedRun(id, ids.length) : packedRun(ids, width)
}
