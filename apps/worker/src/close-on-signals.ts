import type { RunningWorker } from './start-worker.ts'

/** Orchestrators kill after 10 s and more; what has not been handed back by then is taken over like that of a killed worker. */
const patienceMs = 4_000

/**
 * Closes the worker at the first SIGTERM or SIGINT; a second one ends the process at once, for whoever does not want to
 * wait out the grace. Resolves when the worker is closed; the process ends within 5 s of the grace in any case, whatever
 * its tables are doing. The signals are listened for from now on, and not only when the worker has started: it takes
 * jobs before that is known, and a signal in between would end the process with jobs in its hands.
 */
export async function closeOnSignals(
  starting: Promise<Pick<RunningWorker, 'close'>>,
  graceMs = 0,
): Promise<void> {
  const signalled = Promise.withResolvers<NodeJS.Signals>()
  process.once('SIGTERM', signalled.resolve)
  process.once('SIGINT', signalled.resolve)
  const worker = await starting
  const signal = await signalled.promise
  const hurry = (): void => {
    process.exit(130)
  }
  process.once('SIGTERM', hurry)
  process.once('SIGINT', hurry)
  // It outlives this function: a table that does not stop also keeps the process alive.
  setTimeout(() => process.exit(1), graceMs + patienceMs).unref()
  await worker.close(signal)
  process.off('SIGTERM', hurry)
  process.off('SIGINT', hurry)
}
