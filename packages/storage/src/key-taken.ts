import { RunError } from '@huntfleet/contract'
import { printable } from './printable.ts'

/** The error of a key that should have been new; `place` is its path or URL. */
export function keyTaken(key: string, place: string): RunError {
  return new RunError('SINK_INVALID', `${place} exists already, and a key is written once`, {
    hint: `use a key with a fresh attempt instead of ${printable(key)}`,
  })
}
