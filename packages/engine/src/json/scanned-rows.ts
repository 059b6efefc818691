import { RunError } from '@huntfleet/contract'
import type { SourceRow } from '../source-row.ts'
import { type Exact, isExactObject } from './exact.ts'
import { JsonReader } from './json-reader.ts'
import { lazyArray } from './lazy-array.ts'
import type { MemoryScan, ScanMemory, ScannedField } from './scan-memory.ts'
import type { Utf8Text } from './utf8-text.ts'

/**
 * The rows of a scanned array, each value of which is parsed exactly when it is asked for.
 *
 * A place is where something begins and the byte behind it, two integers of `memory.int32`. The places of the row `index`
 * begin at `places + index * stride`: first its own, then those of its values, by `ScannedField`. A value begins at 0
 * where the row has no such key; a string has its quotes and no escapes.
 */
export class ScannedRows {
  readonly length: number
  readonly places: number
  readonly stride: number
  readonly fields: ReadonlyMap<string, ScannedField>
  /** The rows as an array; an element is parsed when it is read. */
  readonly array: SourceRow[]
  readonly #text: Utf8Text

  constructor(text: Utf8Text, { rows, places, stride, fields }: MemoryScan) {
    this.#text = text
    this.length = rows
    this.places = places
    this.stride = stride
    this.fields = fields
    this.array = lazyArray(rows, (index) => this.row(index))
  }

  /** What holds the rows and their places; not to be kept. Throws INTERNAL once it has been given back. */
  get memory(): ScanMemory {
    const { memory } = this.#text
    if (memory === null)
      throw new RunError('INTERNAL', 'a row of a page was read after the page had been staged')
    return memory
  }

  /** The row at a 0-based position below `length`. */
  row(index: number): SourceRow {
    const { int32, bytes } = this.memory
    const place = this.places + index * this.stride
    const row = read(bytes, int32[place]!, int32[place + 1]!)
    if (!isExactObject(row)) throw new RunError('INTERNAL', 'a scanned row is no object')
    return row
  }

  /** Gives the page's memory back; what is read later throws INTERNAL. */
  release(): void {
    this.#text.release()
  }

  /** Those of the given keys that a row has. */
  pick(index: number, keys: readonly string[]): SourceRow {
    const row = new Map<string, Exact>()
    for (const key of keys) {
      const field = this.fields.get(key)
      const value = field === undefined ? undefined : this.value(field, index)
      if (value !== undefined) row.set(key, value)
    }
    return row
  }

  /** The value that a row has under a key; undefined: it has no such key. */
  value(field: ScannedField, index: number): Exact | undefined {
    const { int32, bytes } = this.memory
    const place = this.places + index * this.stride + 2 * field.place
    const start = int32[place]!
    if (start === 0) return undefined
    const end = int32[place + 1]!
    // Strings stand without their escapes.
    return bytes[start] === 0x22 ? bytes.toString('utf8', start + 1, end - 1) : read(bytes, start, end)
  }
}

function read(bytes: Buffer, start: number, end: number): Exact {
  const result = new JsonReader(bytes.toString('utf8', start, end)).read(0)
  if (!result.ok) throw new RunError('INTERNAL', `a scanned value is no JSON: ${result.reason}`)
  return result.value
}
