import type { ExactArray } from './exact.ts'
import { ScannedRows } from './scanned-rows.ts'
import { Utf8Text } from './utf8-text.ts'

/** An array that was scanned, and the place behind it in its text. */
interface ScannedArray {
  value: ExactArray
  end: number
}

/** The array of objects that begins at a position of the text; undefined: it must be parsed. */
type ArrayScanner = (position: number) => ScannedArray | undefined

const scans = new WeakMap<ExactArray, ScannedRows>()

/** The rows behind an array that was scanned and not parsed; undefined for any other array. */
export function scannedRowsOf(array: ExactArray): ScannedRows | undefined {
  return scans.get(array)
}

/** Scans arrays of a well-formed text. */
export function arrayScanner(text: string): ArrayScanner {
  let utf8: Utf8Text | null | undefined
  return (position) => {
    if (utf8 === undefined) utf8 = Utf8Text.of(text)
    const scan = utf8?.scan(utf8.offsetOf(position)) ?? null
    if (utf8 === null || scan === null) return undefined
    const rows = new ScannedRows(utf8, scan)
    scans.set(rows.array, rows)
    return { value: rows.array, end: utf8.positionOf(scan.end) }
  }
}
