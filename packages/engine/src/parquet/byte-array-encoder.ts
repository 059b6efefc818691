import type { ColumnType } from '@huntfleet/contract'
import { compareWithin } from './byte-order.ts'
import { type CellBatch, form } from './cell-batch.ts'
import { PageBuffer } from './page-buffer.ts'
import { appendBytes, appendSlice, appendText, prefixBytes } from './text-bytes.ts'
import { TextDictionary } from './text-dictionary.ts'
import {
  type DictionaryPage,
  type PageValues,
  pageBytes,
  type ValueEncoder,
  wrongCell,
} from './value-encoder.ts'

/** Rows whose texts are copied at once: enough to be worth a call, few enough to fit what is left of most pages. */
const pieceRows = 64

/** A dictionary is read as a whole, so that it must not outgrow a page. */
const dictionaryBytes = pageBytes

/**
 * After so many values, a dictionary that holds more than this share of them is given up: at first only one that looks
 * like a dictionary of identifiers, later every one that saves too little.
 */
const trials = [
  { values: 1_000, share: 0.95 },
  { values: 8_192, share: 0.6 },
] as const

/**
 * BYTE_ARRAY: texts as UTF-8, blobs. Texts start with a dictionary in each column chunk; where it does not pay, the open
 * page and all later ones of the chunk hold the values themselves.
 */
export class ByteArrayEncoder implements ValueEncoder {
  readonly #type: ColumnType
  readonly #isText: boolean
  readonly #page = new PageBuffer()
  #empty = true
  #minStart = 0
  #minEnd = 0
  #maxStart = 0
  #maxEnd = 0
  /** The dictionary that takes values; null: there is none any more in this chunk. */
  #dictionary: TextDictionary | null
  /** The dictionary of this chunk's earlier pages. */
  #ended: TextDictionary | null = null
  /** Texts of this chunk that went to the dictionary. */
  #texts = 0
  #trial = 0

  constructor(type: ColumnType) {
    this.#type = type
    this.#isText = type.kind !== 'BLOB'
    this.#dictionary = this.#isText ? new TextDictionary() : null
  }

  get size(): number {
    return this.#page.length + (this.#dictionary === null ? 0 : this.#dictionary.count * 2)
  }

  append(batch: CellBatch, from: number, to: number): number {
    if (!this.#isText) return this.#appendBlobs(batch, from, to)
    return this.#dictionary === null
      ? this.#appendTexts(batch, from, to)
      : this.#appendToDictionary(this.#dictionary, batch, from, to)
  }

  #appendToDictionary(dictionary: TextDictionary, batch: CellBatch, from: number, to: number): number {
    const { forms, starts, ends, hashes } = batch
    const { view } = batch.texts
    for (let at = from; at < to; at++) {
      if (forms[at] === form.none) continue
      if (forms[at] === form.text) dictionary.addSlice(view, starts[at]!, ends[at]!, hashes[at]!)
      else dictionary.add(this.#textAt(batch, at))
      this.#texts++
      if (this.#isUseless(dictionary)) {
        this.#giveUp(dictionary)
        return at + 1
      }
    }
    return to
  }

  #isUseless(dictionary: TextDictionary): boolean {
    const trial = trials[this.#trial]
    const isTime = trial !== undefined && this.#texts >= trial.values
    if (isTime) this.#trial++
    return dictionary.bytes > dictionaryBytes || (isTime && dictionary.size > this.#texts * trial.share)
  }

  #textAt({ cells }: CellBatch, at: number): string {
    const cell = cells[at]
    if (typeof cell !== 'string') throw wrongCell(this.#type, cell)
    return cell
  }

  /** Goes on without a dictionary; the pages that are done keep theirs. */
  #giveUp(dictionary: TextDictionary): void {
    for (const value of dictionary.takeValues()) {
      const start = this.#page.length
      this.#page.reserve(value.length)
      this.#page.bytes.set(value, start)
      this.#page.length += value.length
      this.#compare(start, this.#page.length)
    }
    this.#dictionary = null
    if (dictionary.used) this.#ended = dictionary
  }

  #appendTexts(batch: CellBatch, from: number, to: number): number {
    const page = this.#page
    for (let at = from; at < to; ) {
      const end = Math.min(to, at + pieceRows)
      at = this.#appendGathered(batch, at, end) ? end : this.#appendEach(batch, at, end)
      if (page.length >= pageBytes) return at
    }
    return to
  }

  /** Appends texts one by one, until the page is full; returns where it stopped. */
  #appendEach(batch: CellBatch, from: number, to: number): number {
    const page = this.#page
    const { forms, starts, ends } = batch
    const { view } = batch.texts
    for (let at = from; at < to; at++) {
      if (forms[at] === form.none) continue
      const start = page.length
      if (forms[at] === form.text) appendSlice(page, view, starts[at]!, ends[at]!)
      else appendText(page, this.#textAt(batch, at))
      this.#compare(start, page.length)
      if (page.length >= pageBytes) return at + 1
    }
    return to
  }

  /** Appends texts in one piece; false, and nothing is appended, where they have none or do not fit the page. */
  #appendGathered(batch: CellBatch, from: number, to: number): boolean {
    if (batch.forms.subarray(from, to).includes(form.cell)) return false
    const page = this.#page
    const texts = batch.texts.gather(batch, from, to)
    if (texts === null || page.length + texts.length > pageBytes) return false
    let at = page.length
    page.reserve(texts.length)
    page.bytes.set(texts, at)
    page.length += texts.length
    while (at < page.length) {
      const end = at + prefixBytes + page.view.getInt32(at, true)
      this.#compare(at, end)
      at = end
    }
    return true
  }

  #appendBlobs({ forms, cells }: CellBatch, from: number, to: number): number {
    const page = this.#page
    for (let at = from; at < to; at++) {
      if (forms[at] === form.none) continue
      const cell = cells[at]
      if (!(cell instanceof Uint8Array)) throw wrongCell(this.#type, cell)
      const start = page.length
      appendBytes(page, cell)
      this.#compare(start, page.length)
      if (page.length >= pageBytes) return at + 1
    }
    return to
  }

  /** Compares the value behind the length at `prefix`, which ends at `end`, with the bounds. */
  #compare(prefix: number, end: number): void {
    const { bytes } = this.#page
    const start = prefix + prefixBytes
    const isFirst = this.#empty
    this.#empty = false
    if (isFirst || compareWithin(bytes, start, end, this.#minStart, this.#minEnd) < 0) {
      this.#minStart = start
      this.#minEnd = end
    }
    if (isFirst || compareWithin(bytes, start, end, this.#maxStart, this.#maxEnd) > 0) {
      this.#maxStart = start
      this.#maxEnd = end
    }
  }

  takePage(): PageValues {
    const dictionary = this.#dictionary
    if (dictionary !== null && dictionary.count > 0) {
      // Of a chunk that ends before any trial the first page decides.
      if (dictionary.used || 2 * dictionary.size <= dictionary.count) return dictionary.takePage()
      this.#giveUp(dictionary)
    }
    const { bytes } = this.#page
    const page = {
      bytes: this.#page.content(),
      encoding: 'PLAIN' as const,
      min: this.#empty ? undefined : Uint8Array.from(bytes.subarray(this.#minStart, this.#minEnd)),
      max: this.#empty ? undefined : Uint8Array.from(bytes.subarray(this.#maxStart, this.#maxEnd)),
      unordered: false,
    }
    this.#page.restart()
    this.#empty = true
    return page
  }

  takeDictionary(): DictionaryPage | null {
    const dictionary = this.#ended ?? this.#dictionary
    this.#ended = null
    this.#dictionary = this.#isText ? new TextDictionary() : null
    this.#texts = 0
    this.#trial = 0
    return dictionary?.used === true ? dictionary.toPage() : null
  }
}
