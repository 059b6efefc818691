import type { ColumnType } from '@huntfleet/contract'
import type { CellValue } from '../coerce/cell-value.ts'
import { compareWithin } from './byte-order.ts'
import { PageBuffer } from './page-buffer.ts'
import { appendBytes, appendText, prefixBytes } from './text-bytes.ts'
import { TextDictionary } from './text-dictionary.ts'
import {
  type DictionaryPage,
  type PageValues,
  pageBytes,
  type ValueEncoder,
  wrongCell,
} from './value-encoder.ts'

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

  append(cells: readonly CellValue[], from: number, to: number): number {
    if (!this.#isText) return this.#appendBlobs(cells, from, to)
    return this.#dictionary === null
      ? this.#appendTexts(cells, from, to)
      : this.#appendToDictionary(this.#dictionary, cells, from, to)
  }

  #appendToDictionary(
    dictionary: TextDictionary,
    cells: readonly CellValue[],
    from: number,
    to: number,
  ): number {
    for (let at = from; at < to; at++) {
      const cell = cells[at]
      if (cell === null) continue
      if (typeof cell !== 'string') throw wrongCell(this.#type, cell)
      dictionary.add(cell)
      this.#texts++
      const trial = trials[this.#trial]
      const isTime = trial !== undefined && this.#texts >= trial.values
      if (isTime) this.#trial++
      if (dictionary.bytes > dictionaryBytes || (isTime && dictionary.size > this.#texts * trial.share)) {
        this.#giveUp(dictionary)
        return at + 1
      }
    }
    return to
  }

  /** Goes on without a dictionary; the pages that are done keep theirs. */
  #giveUp(dictionary: TextDictionary): void {
    for (const value of dictionary.takeValues()) {
      const start = this.#page.length
      this.#page.reserve(value.length)
      this.#page.bytes.set(value, start)
      this.#page.length += value.length
      this.#compare(start)
    }
    this.#dictionary = null
    if (dictionary.used) this.#ended = dictionary
  }

  #appendTexts(cells: readonly CellValue[], from: number, to: number): number {
    const page = this.#page
    for (let at = from; at < to; at++) {
      const cell = cells[at]
      if (cell === null) continue
      if (typeof cell !== 'string') throw wrongCell(this.#type, cell)
      const start = page.length
      appendText(page, cell)
      this.#compare(start)
      if (page.length >= pageBytes) return at + 1
    }
    return to
  }

  #appendBlobs(cells: readonly CellValue[], from: number, to: number): number {
    const page = this.#page
    for (let at = from; at < to; at++) {
      const cell = cells[at]
      if (cell === null) continue
      if (!(cell instanceof Uint8Array)) throw wrongCell(this.#type, cell)
      const start = page.length
      appendBytes(page, cell)
      this.#compare(start)
      if (page.length >= pageBytes) return at + 1
    }
    return to
  }

  /** Compares the last value, whose length prefix is at `prefix`, with the bounds. */
  #compare(prefix: number): void {
    const { bytes, length } = this.#page
    const start = prefix + prefixBytes
    const isFirst = this.#empty
    this.#empty = false
    if (isFirst || compareWithin(bytes, start, length, this.#minStart, this.#minEnd) < 0) {
      this.#minStart = start
      this.#minEnd = length
    }
    if (isFirst || compareWithin(bytes, start, length, this.#maxStart, this.#maxEnd) > 0) {
      this.#maxStart = start
      this.#maxEnd = length
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
