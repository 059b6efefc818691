import { describe, expect, it } from 'vitest'
import {
  type ErrorCode,
  type ErrorKind,
  errorCodes,
  errorKindNames,
  exitCodeOf,
  kindOf,
  retriesJob,
  retriesPage,
} from '../src/error-codes.ts'

describe('error codes', () => {
  it.each<[ErrorKind, boolean, boolean, number]>([
    ['config', false, false, 2],
    ['transient', true, true, 3],
    ['denied', false, false, 3],
    ['data', false, false, 4],
    ['tool', false, false, 3],
    ['budget', false, false, 5],
    ['cancelled', false, false, 130],
    ['bug', false, false, 70],
  ])('of the kind %s: page retry %s, job retry %s, exit %i', (kind, page, job, exit) => {
    const codes = errorCodes.filter((code) => kindOf(code) === kind && code !== 'THREAD_LOST')
    expect(codes.length).toBeGreaterThan(0)
    for (const code of codes)
      expect([retriesPage(code), retriesJob(code), exitCodeOf(code)]).toEqual([page, job, exit])
  })

  it.each<[ErrorCode, boolean]>([
    ['SINK_UNREACHABLE', true],
    ['SINK_DENIED', false],
    ['SINK_INVALID', false],
  ])('of the storage: %s is retried as a job: %s', (code, job) => {
    expect([kindOf(code), retriesPage(code), retriesJob(code), exitCodeOf(code)]).toEqual([
      'sink',
      false,
      job,
      6,
    ])
  })

  it('try a table again whose thread is lost, not its page', () => {
    const code = 'THREAD_LOST'
    expect([kindOf(code), retriesPage(code), retriesJob(code)]).toEqual(['transient', false, true])
  })

  it('cover every kind', () => {
    expect(new Set(errorCodes.map(kindOf))).toEqual(new Set(errorKindNames))
  })
})
