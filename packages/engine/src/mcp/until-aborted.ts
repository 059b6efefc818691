import { abortError } from './abort-error.ts'

/** The promise's result, or a rejection as soon as the signal aborts; what the promise waits for goes on. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    // It has begun, and nobody else may wait for it: a failure must not end the process.
    promise.catch(() => {})
    throw abortError(signal)
  }
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(abortError(signal))
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
