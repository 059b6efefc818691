import type { RunError } from '@huntfleet/contract'

/**
 * The rows of a table so far are of no use, and nothing of it is published: it is to begin again from nothing. Says
 * nothing of the kind a second time: `error` is then how the fetch ends.
 */
export class StartOver extends Error {
  readonly error: RunError

  constructor(error: RunError) {
    super(error.message, { cause: error })
    this.error = error
  }
}
