import type { ColumnType } from '@huntfleet/contract'
import type { CellValue } from '../coerce/cell-value.ts'
import { BoundedEncoder } from './bounded-encoder.ts'
import { wrongCell } from './value-encoder.ts'

const uuidBytes = 16
const canonical = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** UUID as 16 bytes, from its canonical text. Canonical texts sort as their bytes do. */
export class UuidEncoder extends BoundedEncoder<string> {
  constructor(type: ColumnType) {
    super(type, uuidBytes)
  }

  protected checked(cell: CellValue | undefined): string {
    if (typeof cell !== 'string' || !canonical.test(cell)) throw wrongCell(this.type, cell)
    return cell
  }

  protected put(cell: string, bytes: Buffer, at: number): void {
    bytes.write(cell.replaceAll('-', ''), at, uuidBytes, 'hex')
  }
}
