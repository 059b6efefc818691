import { RunError } from '@huntfleet/contract'
import type { SourceRow } from '../source-row.ts'
import { type Exact, isExactObject } from './exact.ts'
import { JsonReader } from './json-reader.ts'
import { lazyArray } from './lazy-array.ts'
import { type RowScan, releaseScan, type ScannedField } from './row-scanner.ts'

/** The rows of a scanned array, each value of which is parsed exactly when it is asked for. */
export class ScannedRows {
  readonly scan: RowScan
  /** The rows as an array; an element is parsed when it is read. */
  readonly array: SourceRow[]
  #isReleased = false

  constructor(scan: RowScan) {
    this.scan = scan
    this.array = lazyArray(scan.rows, (index) => this.row(index))
  }

  get length(): number {
    return this.scan.rows
  }

  /** The row at a 0-based position below `length`. */
  row(index: number): SourceRow {
    this.#mustBeHeld()
    const row = this.#read(this.scan.starts[index]!, this.scan.ends[index]!)
    if (!isExactObject(row)) throw new RunError('INTERNAL', 'a scanned row is no object')
    return row
  }

  /** Gives the page's memory back; what is read later throws INTERNAL. */
  release(): void {
    this.#isReleased = true
    releaseScan(this.scan)
  }

  /** Those of the given keys that a row has. */
  pick(index: number, keys: readonly string[]): SourceRow {
    const row = new Map<string, Exact>()
    for (const key of keys) {
      const field = this.scan.fields.get(key)
      const value = field === undefined ? undefined : this.value(field, index)
      if (value !== undefined) row.set(key, value)
    }
    return row
  }

  /** The value that a row has under a key; undefined: it has no such key. */
  value(field: ScannedField, index: number): Exact | undefined {
    this.#mustBeHeld()
    const start = field.starts[index]!
    if (start === 0) return undefined
    const end = field.ends[index]!
    const { bytes } = this.scan.text
    // Strings stand without their escapes.
    return bytes[start] === 0x22 ? bytes.toString('utf8', start + 1, end - 1) : this.#read(start, end)
  }

  #mustBeHeld(): void {
    if (this.#isReleased)
      throw new RunError('INTERNAL', 'a row of a page was read after the page had been staged')
  }

  #read(start: number, end: number): Exact {
    const result = new JsonReader(this.scan.text.bytes.toString('utf8', start, end)).read(0)
    if (!result.ok) throw new RunError('INTERNAL', `a scanned value is no JSON: ${result.reason}`)
    return result.value
  }
}
