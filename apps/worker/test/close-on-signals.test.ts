import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { closeOnSignals } from '../src/close-on-signals.ts'

// Its last resort ends the process.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('a signal that comes while the worker starts closes it as soon as it has', async () => {
  const starting = Promise.withResolvers<{ close(reason: string): Promise<void> }>()
  const close = vi.fn(async () => {})
  const ended = closeOnSignals(starting.promise)
  process.emit('SIGTERM', 'SIGTERM')
  expect(close).not.toHaveBeenCalled()
  starting.resolve({ close })
  await ended
  expect(close).toHaveBeenCalledExactlyOnceWith('SIGTERM')
})

test('a worker that cannot start says why', async () => {
  await expect(closeOnSignals(Promise.reject(new Error('no Redis')))).rejects.toThrow('no Redis')
})
