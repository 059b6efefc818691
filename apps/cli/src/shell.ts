import type { Masker } from '@huntfleet/contract'

/** What one command line shares among its parts, from the first option to the last error message. */
export interface Shell {
  /** Knows every secret that was read so far, also when the command fails. */
  readonly masker: Masker
  /** Sets the exit code. */
  exit(code: number): void
}
