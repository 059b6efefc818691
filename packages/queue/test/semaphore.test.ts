import { expect, test } from 'vitest'
import { createSemaphore } from '../src/semaphore.ts'

const never = new AbortController().signal

test('gives out its slots and then lets callers wait in the order of asking', async () => {
  const semaphore = createSemaphore(2)
  const first = await semaphore.acquire(never)
  const second = await semaphore.acquire(never)
  const order: string[] = []
  const third = semaphore.acquire(never).finally(() => order.push('third'))
  const fourth = semaphore.acquire(never).finally(() => order.push('fourth'))
  first()
  await third
  expect(order).toEqual(['third'])
  second()
  await fourth
  expect(order).toEqual(['third', 'fourth'])
})

test('counts a slot once, however often it is given back', async () => {
  const semaphore = createSemaphore(1)
  const release = await semaphore.acquire(never)
  release()
  release()
  await semaphore.acquire(never)
  const controller = new AbortController()
  const waiting = semaphore.acquire(controller.signal)
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
})

test('loses no slot to a caller that stopped waiting', async () => {
  const semaphore = createSemaphore(1)
  const release = await semaphore.acquire(never)
  const controller = new AbortController()
  const gone = semaphore.acquire(controller.signal)
  const next = semaphore.acquire(never)
  controller.abort(new Error('gone'))
  await expect(gone).rejects.toThrow('gone')
  release()
  expect(await next).toBeTypeOf('function')
})

test('refuses a caller whose signal has aborted', async () => {
  await expect(createSemaphore(1).acquire(AbortSignal.abort(new Error('late')))).rejects.toThrow('late')
})
