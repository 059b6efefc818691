import { RunError } from '@huntfleet/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { untilAborted } from '../../src/mcp/until-aborted.ts'

const signalled = () => {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(new RunError('SHUTDOWN', 'it ends')) }
}

test('gives the result, or why there is none', async () => {
  const { signal } = signalled()
  expect(await untilAborted(Promise.resolve(7), signal)).toBe(7)
  await expect(untilAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
})

test('rejects as soon as the signal aborts', async () => {
  const { signal, abort } = signalled()
  const waiting = untilAborted(new Promise(() => {}), signal)
  abort()
  await expect(waiting).rejects.toMatchObject({ code: 'SHUTDOWN' })
})

test.each(['before', 'after'])(
  'a promise that fails later, with a signal aborted %s it was waited for, ends no process',
  async (when) => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    onTestFinished(() => void process.off('unhandledRejection', unhandled))
    const { signal, abort } = signalled()
    const { promise, reject } = Promise.withResolvers<never>()
    if (when === 'before') abort()
    const waiting = untilAborted(promise, signal)
    abort()
    await expect(waiting).rejects.toMatchObject({ code: 'SHUTDOWN' })
    reject(new Error('too late'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).not.toHaveBeenCalled()
  },
)
