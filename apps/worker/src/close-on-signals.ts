import type { RunningWorker } from './start-worker.ts'

/**
 * Closes the worker at the first SIGTERM or SIGINT; a second one ends the process at once, for whoever does not want to
 * wait out the grace. Resolves when the worker is closed.
 */
export async function closeOnSignals(worker: Pick<RunningWorker, 'close'>): Promise<void> {
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
  const hurry = (): void => {
    process.exit(130)
  }
  process.once('SIGTERM', hurry)
  process.once('SIGINT', hurry)
  await worker.close(signal)
  process.off('SIGTERM', hurry)
  process.off('SIGINT', hurry)
}
