import { RunError } from '@huntfleet/contract'

/** A part of an object, in bytes. */
export interface ByteRange {
  start: number
  length: number
}

/** Throws SINK_INVALID unless both numbers are whole and not negative. */
export function checkRange({ start, length }: ByteRange): void {
  const whole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
  if (whole(start) && whole(length)) return
  throw new RunError(
    'SINK_INVALID',
    `cannot read ${length} bytes from byte ${start}: both must be whole and not negative`,
  )
}
