import fc from 'fast-check'
import { expect, test } from 'vitest'
import { retryOfJob, runJobId, runOfRunJob, runOfTableJob, tableJobId } from '../src/job-ids.ts'

const runId = fc.stringMatching(/^[a-z0-9][A-Za-z0-9._-]{0,30}$/)
const table = fc.stringMatching(/^[A-Za-z0-9_]{1,20}$/)
const retry = fc.integer({ min: 1, max: 999 })

test('ids of jobs lead back to their run and execution, and no two are the same', () => {
  fc.assert(
    fc.property(runId, table, retry, (run, name, count) => {
      const ids = [runJobId(run, count), tableJobId(run, name, count)]
      expect(ids.map(retryOfJob)).toEqual([count, count])
      expect(runOfRunJob(ids[0] ?? '')).toBe(run)
      expect(runOfTableJob(ids[1] ?? '')).toBe(run)
      expect(ids[0]).not.toBe(runJobId(run, count + 1))
      expect(ids[1]).not.toBe(tableJobId(run, name, count + 1))
    }),
  )
})

test('the ids of a first execution are those of the run and its tables', () => {
  expect([runJobId('dns.1', 1), tableJobId('dns.1', 'events', 1)]).toEqual(['dns.1', 'dns.1.events'])
  expect([runJobId('dns.1', 2), tableJobId('dns.1', 'events', 2)]).toEqual(['dns.1~2', 'dns.1.events~2'])
})
