import { form } from './cell-batch.ts'

/** The bytes of a number in the variable length of ULEB128. */
function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
  return bytes
}

/** One run of the RLE hybrid encoding: the same value `count` times; `value` is below 256. */
export function repeatedRun(value: number, count: number): Uint8Array {
  return Uint8Array.from([...varint(count * 2), value])
}

/** One run of the RLE hybrid encoding: values of `width` bits, 1 to 24, packed from the lowest bit on. */
export function packedRun(values: Uint32Array, width: number): Uint8Array {
  const groups = (values.length + 7) >> 3
  const header = varint(groups * 2 + 1)
  const run = new Uint8Array(header.length + groups * width)
  run.set(header)
  let at = header.length
  let held = 0
  let bits = 0
  for (let index = 0; index < values.length; index++) {
    held |= values[index]! << bits
    bits += width
    for (; bits >= 8; bits -= 8) {
      run[at++] = held
      held >>>= 8
    }
  }
  if (bits > 0) run[at] = held
  return run
}

/** The definition levels of a page of an optional column: 1 for a value, 0 for a null. */
export class DefinitionLevels {
  rows = 0
  nulls = 0
  /** A bit a row, the lowest first; nothing before the first null. */
  #bits = new Uint8Array(0)

  /** `forms`: those of a `CellBatch`. */
  append(forms: Uint8Array, from: number, to: number): void {
    const shift = this.rows - from
    for (let at = from; at < to; at++) {
      if (forms[at] === form.none) {
        if (this.nulls === 0) this.#fill(at + shift)
        this.nulls++
      } else if (this.nulls > 0) {
        const row = at + shift
        if (row >> 3 >= this.#bits.length) this.#grow(row)
        this.#bits[row >> 3]! |= 1 << (row & 7)
      }
    }
    this.rows = to + shift
  }

  /** The levels as the RLE hybrid encoding has them, behind their length in bytes; starts the next page. */
  take(): Uint8Array {
    const run = this.nulls === 0 ? repeatedRun(1, this.rows) : this.#packed()
    const levels = new Uint8Array(4 + run.length)
    new DataView(levels.buffer).setUint32(0, run.length, true)
    levels.set(run, 4)
    this.rows = 0
    this.nulls = 0
    return levels
  }

  #packed(): Uint8Array {
    if (this.nulls === this.rows) return repeatedRun(0, this.rows)
    const groups = (this.rows + 7) >> 3
    this.#grow(this.rows)
    const header = varint(groups * 2 + 1)
    const run = new Uint8Array(header.length + groups)
    run.set(header)
    run.set(this.#bits.subarray(0, groups), header.length)
    return run
  }

  /** Says of the first `rows` rows that they have values, and of no other. */
  #fill(rows: number): void {
    this.#bits.fill(0)
    this.#grow(rows)
    this.#bits.fill(0xff, 0, rows >> 3)
    this.#bits[rows >> 3] = (1 << (rows & 7)) - 1
  }

  #grow(row: number): void {
    if (row >> 3 < this.#bits.length) return
    const before = this.#bits
    this.#bits = new Uint8Array(Math.max(2 * before.length, (row >> 3) + 128))
    this.#bits.set(before)
  }
}
