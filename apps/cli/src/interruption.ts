import { RunError } from '@huntfleet/contract'

/** Ctrl-C and SIGTERM: the first cancels in good order, the second ends at once. */
export function watchInterruption(): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort(new RunError('CANCELLED', 'the run was cancelled'))
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  return {
    signal: controller.signal,
    stop() {
      process.off('SIGINT', interrupt)
      process.off('SIGTERM', interrupt)
    },
  }
}
