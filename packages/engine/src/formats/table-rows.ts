import type { Exact } from '../json/exact.ts'
import type { RowReject, SourceRow } from '../source-row.ts'

/** The records of one page under its column names: every record becomes a row, a reject, or a row with a reject. */
export class TableRows {
  readonly rows: SourceRow[] = []
  readonly rejects: RowReject[] = []
  /** Records so far. */
  items = 0
  readonly #names: readonly string[]

  constructor(names: readonly string[]) {
    this.#names = names
  }

  /**
   * A record of cells. One that is too short is stored with nulls and counted; one that is too long is not stored,
   * because its cells may have shifted (SPEC section 15).
   */
  add(cells: readonly Exact[], raw: string): void {
    const names = this.#names
    if (cells.length > names.length) {
      this.reject(this.#widthReason(cells.length), raw)
      return
    }
    this.items++
    if (cells.length < names.length) {
      this.rejects.push({ row: this.items, reason: this.#widthReason(cells.length), raw, stored: true })
    }
    const row = new Map<string, Exact>()
    for (const [index, name] of names.entries()) row.set(name, cells[index] ?? null)
    this.rows.push(row)
  }

  /** A record that cannot be stored. */
  reject(reason: string, raw: string): void {
    this.items++
    this.rejects.push({ row: this.items, reason, raw, stored: false })
  }

  #widthReason(count: number): string {
    return `the row has ${count} cells, the header ${this.#names.length}`
  }
}
