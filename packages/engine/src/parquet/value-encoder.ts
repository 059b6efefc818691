import { type ColumnType, RunError } from '@huntfleet/contract'
import type { CellBatch } from './cell-batch.ts'

/**
 * A smallest or largest value, as the order of its type compares it: numbers, also as bigint; bytes as unsigned bytes;
 * a UUID as its text, which sorts as its bytes do.
 */
export type Bound = number | bigint | boolean | string | Uint8Array

/** The values of one data page, without nulls. */
export interface PageValues {
  /** Valid until the encoder is given more cells. */
  bytes: Uint8Array
  encoding: 'PLAIN' | 'RLE_DICTIONARY'
  /** Undefined when the page has no values, or none with an order. */
  min: Bound | undefined
  max: Bound | undefined
  /** Whether there is a NaN among the values: the bounds then say nothing about it. */
  unordered: boolean
}

/** Values that data pages refer to by their number. */
export interface DictionaryPage {
  bytes: Uint8Array
  values: number
}

/** Encodes the values of one flat column, page by page. */
export interface ValueEncoder {
  /** Bytes of the open page, roughly. */
  readonly size: number
  /**
   * Encodes the cells from `from` to `to` that are not null, and stops early where the page has grown to `pageBytes`;
   * returns where it stopped. Throws INTERNAL for a cell that is none of the column's type.
   */
  append(batch: CellBatch, from: number, to: number): number
  /** Ends the page. */
  takePage(): PageValues
  /** Ends the column chunk: the dictionary of its pages, if one has been used. */
  takeDictionary(): DictionaryPage | null
}

/**
 * A page ends at about so many bytes before compression: the size that the Parquet format recommends as the smallest
 * unit to read.
 */
export const pageBytes = 1 << 20

/** The error for a cell that the column's coercion cannot have made. */
export function wrongCell(type: ColumnType, cell: unknown): RunError {
  const shown = typeof cell === 'object' ? 'an object' : `${typeof cell} ${String(cell).slice(0, 60)}`
  return new RunError('INTERNAL', `a cell that is no ${type.kind} reached the Parquet file: ${shown}`)
}
