import { errorCodes, RunError, retriesJob } from '@huntfleet/contract'
import { UnrecoverableError } from 'bullmq'
import { expect, test } from 'vitest'
import { explainAbort } from '../src/abort-reason.ts'
import { serverOf, sourceQueue } from '../src/queue-names.ts'
import { toBullmqError } from '../src/to-bullmq-error.ts'

test.each(errorCodes)('maps %s to what the code table says', (code) => {
  const error = new RunError(code, 'words')
  const mapped = toBullmqError(error)
  if (retriesJob(code)) expect(mapped).toBe(error)
  else {
    expect(mapped).toBeInstanceOf(UnrecoverableError)
    expect(mapped.message).toBe(`${code}: words`)
  }
})

test.each([
  ['SHUTDOWN', 'SHUTDOWN'],
  ['LOCK_LOST', 'LOCK_LOST'],
  ['CANCELLED', 'CANCELLED'],
  ['constructor', 'CANCELLED'],
  [undefined, 'CANCELLED'],
])('explains an abort with %j as %s', (reason, code) => {
  const before = explainAbort(AbortSignal.abort(reason))
  expect(before.reason).toMatchObject({ name: 'RunError', code })
  const controller = new AbortController()
  const later = explainAbort(controller.signal)
  expect(later.aborted).toBe(false)
  controller.abort(reason)
  expect(later.reason).toMatchObject({ name: 'RunError', code })
})

test('finds the server of a source queue and none of the others', () => {
  expect(serverOf(sourceQueue('my-server_1'))).toBe('my-server_1')
  expect(serverOf('hunt-run')).toBe(null)
})
