import { compareWithin } from './byte-order.ts'
import { packedRun, repeatedRun } from './levels.ts'
import { PageBuffer } from './page-buffer.ts'
import { appendText, prefixBytes } from './text-bytes.ts'
import type { DictionaryPage, PageValues } from './value-encoder.ts'

/** The distinct texts of a column chunk, in the order in which they came, and the open page's references to them. */
export class TextDictionary {
  readonly #ids = new Map<string, number>()
  readonly #texts = new PageBuffer()
  /** Where each text's length prefix starts, and where the last text ends. */
  readonly #offsets: number[] = [0]
  /** The page in which each text was seen last. */
  readonly #seen: number[] = []
  #pages = 0
  #page = new Uint32Array(1024)
  #count = 0
  #minId = 0
  #maxId = 0
  /** Whether a page that refers to it has been taken. */
  used = false

  /** Distinct texts. */
  get size(): number {
    return this.#ids.size
  }

  /** Bytes of the distinct texts. */
  get bytes(): number {
    return this.#texts.length
  }

  /** Values of the open page. */
  get count(): number {
    return this.#count
  }

  add(text: string): void {
    const id = this.#idOf(text)
    if (this.#count === this.#page.length) {
      const before = this.#page
      this.#page = new Uint32Array(2 * before.length)
      this.#page.set(before)
    }
    this.#page[this.#count++] = id
    if (this.#seen[id] !== this.#pages) this.#notice(id)
  }

  #idOf(text: string): number {
    const known = this.#ids.get(text)
    if (known !== undefined) return known
    const id = this.#ids.size
    this.#ids.set(text, id)
    appendText(this.#texts, text)
    this.#offsets.push(this.#texts.length)
    this.#seen.push(-1)
    return id
  }

  /** A text that is new to the open page may be its smallest or largest. */
  #notice(id: number): void {
    this.#seen[id] = this.#pages
    if (this.#count === 1) {
      this.#minId = id
      this.#maxId = id
    } else if (this.#compare(id, this.#minId) < 0) this.#minId = id
    else if (this.#compare(id, this.#maxId) > 0) this.#maxId = id
  }

  #compare(id: number, other: number): number {
    const offsets = this.#offsets
    return compareWithin(
      this.#texts.bytes,
      offsets[id]! + prefixBytes,
      offsets[id + 1]!,
      offsets[other]! + prefixBytes,
      offsets[other + 1]!,
    )
  }

  /** The values of the open page with their length prefixes, one after the other; drops the page. */
  *takeValues(): Generator<Uint8Array> {
    for (let index = 0; index < this.#count; index++) yield this.#text(this.#page[index]!, 0)
    this.#count = 0
    this.#pages++
  }

  #text(id: number, from: number): Uint8Array {
    return this.#texts.bytes.subarray(this.#offsets[id]! + from, this.#offsets[id + 1]!)
  }

  takePage(): PageValues {
    const width = Math.max(1, 32 - Math.clz32(this.#ids.size - 1))
    const ids = this.#page.subarray(0, this.#count)
    const run = this.#minId === this.#maxId ? repeatedIds(ids, width) : packedRun(ids, width)
    const bytes = new Uint8Array(1 + run.length)
    bytes[0] = width
    bytes.set(run, 1)
    const page = {
      bytes,
      encoding: 'RLE_DICTIONARY' as const,
      min: Uint8Array.from(this.#text(this.#minId, prefixBytes)),
      max: Uint8Array.from(this.#text(this.#maxId, prefixBytes)),
      unordered: false,
    }
    this.used = true
    this.#count = 0
    this.#pages++
    return page
  }

  toPage(): DictionaryPage {
    return { bytes: this.#texts.content(), values: this.#ids.size }
  }
}

/** References that are all the same. A repeated value takes as many whole bytes as its width needs. */
function repeatedIds(ids: Uint32Array, width: number): Uint8Array {
  const id = ids[0] ?? 0
  return width <= 8 ? repeatedRun(id, ids.length) : packedRun(ids, width)
}
