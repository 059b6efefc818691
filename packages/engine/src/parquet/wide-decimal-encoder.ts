import type { ColumnType } from '@huntfleet/contract'
import type { CellValue } from '../coerce/cell-value.ts'
import { BoundedEncoder } from './bounded-encoder.ts'
import { wrongCell } from './value-encoder.ts'

/** Bytes of the widest decimal, 38 digits. */
const widest = 16

/** DECIMAL of more than 18 digits: two's complement, highest byte first, in as many bytes as the precision needs. */
export class WideDecimalEncoder extends BoundedEncoder<bigint> {
  readonly #from: number
  readonly #limit: bigint
  readonly #scratch = Buffer.alloc(widest)

  constructor(type: ColumnType, precision: number, width: number) {
    super(type, width)
    this.#from = widest - width
    this.#limit = 10n ** BigInt(precision)
  }

  protected checked(cell: CellValue | undefined): bigint {
    if (typeof cell !== 'bigint' || cell >= this.#limit || cell <= -this.#limit)
      throw wrongCell(this.type, cell)
    return cell
  }

  protected put(cell: bigint, bytes: Buffer, at: number): void {
    this.#scratch.writeBigInt64BE(cell >> 64n, 0)
    this.#scratch.writeBigUInt64BE(BigInt.asUintN(64, cell), 8)
    this.#scratch.copy(bytes, at, this.#from)
  }
}
