import { compileWasm, growTo, instantiateWasm, type WasmMemory } from '../web-assembly.ts'
import { rowScannerWasm } from './row-scanner-wasm.ts'
import { unescapeString } from './unescape.ts'

/** A key of a page's rows, and which of the places of each row is that of its value. */
export interface ScannedField {
  key: string
  place: number
}

/** What `packages/engine/wasm/row-scanner.ts` exports. */
interface RowScanner {
  memory: WasmMemory
  rows: { readonly value: number }
  stride: { readonly value: number }
  free: { readonly value: number }
  mostFields: { readonly value: number }
  batchRows: { readonly value: number }
  starts: { readonly value: number }
  ends: { readonly value: number }
  hashes: { readonly value: number }
  forms: { readonly value: number }
  gathered: { readonly value: number }
  gatheredEnd: { readonly value: number }
  scan(start: number, places: number, placesEnd: number, room: number, roomEnd: number): number
  texts(place: number, stride: number, count: number): number
  gather(count: number): number
}

/** undefined: not tried yet; null: this machine runs no such code. */
let module: object | null | undefined

function compiled(): object | null {
  if (module !== undefined) return module
  try {
    module = compileWasm(rowScannerWasm)
  } catch {
    // A processor without SIMD, or a Node.js that was started without WebAssembly: the exact parser does.
    module = null
  }
  return module
}

/** Memory that was given back, for the next texts: new memory costs more than filling it does. */
const spare: ScanMemory[] = []
const mostSpare = 4
const largestSpare = 1 << 28

/** Texts of a column: by row, whether there is one (`form.text`), where it stands, and its hash. */
interface TextBatch {
  forms: Uint8Array
  starts: Int32Array
  ends: Int32Array
  hashes: Int32Array
}

/** What a scan has found; places are counted in the 32-bit integers of the memory. */
export interface MemoryScan {
  rows: number
  /** Where the places of the first row begin. */
  places: number
  /** From one row to the next. */
  stride: number
  fields: ReadonlyMap<string, ScannedField>
  /** The byte behind the array. */
  end: number
}

/**
 * Memory in which texts are scanned by WebAssembly: the text first, then room for its strings without their escapes, then
 * the places of rows and values. A view that was read before a scan may be outdated after it.
 */
export class ScanMemory {
  bytes: Buffer
  view: DataView
  int32: Int32Array
  readonly #scanner: RowScanner
  /** Where texts begin; below that stands what the scanner itself needs. */
  readonly #begin: number
  /** Where the room begins that is not taken yet, and where it ends. */
  #free = 0
  #roomEnd = 0
  /** Where the next scan puts its places, and what they may take. */
  #places = 0
  #placesEnd = 0
  #fields = new Map<string, ScannedField>()

  private constructor(module: object) {
    this.#scanner = instantiateWasm<RowScanner>(module, {
      'row-scanner': {
        fieldOf: (start: number, end: number) => this.#fieldOf(start, end),
        unescaped: (start: number, end: number, target: number) =>
          unescapeString(this.#now(), start, end, target),
      },
    })
    this.#begin = this.#scanner.gatheredEnd.value
    const { buffer } = this.#scanner.memory
    this.bytes = Buffer.from(buffer)
    this.view = new DataView(buffer)
    this.int32 = new Int32Array(buffer)
  }

  /**
   * Memory for a text of so many bytes and a few behind it, which begins at `start`; places may take `placesBytes`. Null
   * where there is none to be had.
   */
  static take(
    textBytes: number,
    slack: number,
    placesBytes: number,
  ): { memory: ScanMemory; start: number } | null {
    const module = compiled()
    if (module === null) return null
    const memory = spare.pop() ?? new ScanMemory(module)
    memory.#free = memory.#begin + textBytes + slack
    // Without its escapes no string is longer.
    memory.#roomEnd = memory.#free + textBytes
    // A multiple of what a place takes.
    memory.#places = (memory.#roomEnd + 15) & ~7
    memory.#placesEnd = memory.#places + placesBytes
    return memory.#reserve(memory.#places) ? { memory, start: memory.#begin } : null
  }

  /** Takes it back; nobody may use it any more. */
  give(): void {
    if (spare.length < mostSpare && this.bytes.length <= largestSpare) spare.push(this)
  }

  /** Scans the array of objects whose opening bracket is at `start`; null: it is none, or too deep or too wide. */
  scan(start: number): MemoryScan | null {
    const fields = new Map<string, ScannedField>()
    this.#fields = fields
    const places = this.#places
    const scanner = this.#scanner
    const end = scanner.scan(start, places, this.#placesEnd, this.#free, this.#roomEnd)
    this.#now()
    if (end < 0) return null
    const rows = scanner.rows.value
    const stride = scanner.stride.value * 2
    this.#free = scanner.free.value
    this.#places = places + rows * stride * 4
    return { rows, places: places / 4, stride, fields, end }
  }

  /**
   * Fills a batch with the texts of a field in at most `batchRows` rows of a scan, from the given place on and one every
   * `stride`; gives the number of values that are none and are left to the caller: keys that are not there, null, arrays,
   * objects.
   */
  texts(place: number, stride: number, count: number, batch: TextBatch): number {
    const { starts, ends, hashes, forms } = this.#scanner
    const others = this.#scanner.texts(place * 4, stride * 4, count)
    const { buffer } = this.bytes
    batch.forms.set(new Uint8Array(buffer, forms.value, count))
    batch.starts.set(new Int32Array(buffer, starts.value, count))
    batch.ends.set(new Int32Array(buffer, ends.value, count))
    batch.hashes.set(new Int32Array(buffer, hashes.value, count))
    return others
  }

  /**
   * The texts of a batch's rows from `from` to `to`, each behind its length in four bytes, as one piece that is valid until
   * the next call; null where they are too many bytes.
   */
  gather({ forms, starts, ends }: TextBatch, from: number, to: number): Uint8Array | null {
    const scanner = this.#scanner
    if (to - from > scanner.batchRows.value) return null
    this.bytes.set(forms.subarray(from, to), scanner.forms.value)
    this.int32.set(starts.subarray(from, to), scanner.starts.value / 4)
    this.int32.set(ends.subarray(from, to), scanner.ends.value / 4)
    const end = scanner.gather(to - from)
    return end < 0 ? null : this.bytes.subarray(scanner.gathered.value, end)
  }

  #reserve(bytes: number): boolean {
    try {
      growTo(this.#scanner.memory, bytes)
    } catch {
      return false
    }
    this.#now()
    return true
  }

  /** The bytes as they are now: memory that has grown is another buffer. */
  #now(): Buffer {
    const { buffer } = this.#scanner.memory
    if (this.bytes.buffer === buffer) return this.bytes
    this.bytes = Buffer.from(buffer)
    this.view = new DataView(buffer)
    this.int32 = new Int32Array(buffer)
    return this.bytes
  }

  #fieldOf(start: number, end: number): number {
    const key = keyOf(this.#now().toString('utf8', start, end))
    const known = this.#fields.get(key)
    if (known !== undefined) return known.place - 1
    const number = this.#fields.size
    if (number === this.#scanner.mostFields.value) return -1
    // The first place of a row is its own.
    this.#fields.set(key, { key, place: number + 1 })
    return number
  }
}

/** The key that a token with its quotes says, as the exact parser reads it. */
function keyOf(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1)
  const key: unknown = JSON.parse(token)
  return String(key).toWellFormed()
}
