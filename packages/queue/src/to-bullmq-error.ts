import { type RunError, retriesJob } from '@huntfleet/contract'
import { UnrecoverableError } from 'bullmq'

/**
 * What a processor throws so that BullMQ does what the code table says: the error itself when the job is worth another
 * attempt (BullMQ backs off and counts), else an `UnrecoverableError`, which ends the job whatever attempts are left.
 * Its message begins with the code, because the message is all that the parent of a failed job can read.
 * Hand-backs and delays are no errors; see `hand-back.ts`.
 */
export function toBullmqError(error: RunError): Error {
  return retriesJob(error.code) ? error : new UnrecoverableError(`${error.code}: ${error.message}`)
}
