import { describe, expect, it } from 'vitest'
import { runJobSchema, tableJobSchema } from '../src/jobs.ts'
import { noBudget } from '../src/run-limits.ts'
import { bindingWith, compileDocuments, contractWith } from './read-documents.ts'

const storage = {
  url: 'file:///staging',
  endpoint: null,
  region: null,
  pathStyle: false,
  layout: '{run_id}/{table}',
}
const tableJob = () => {
  const [spec] = compileDocuments(contractWith(), bindingWith()).specs
  const limits = { retry: 1, deadlineAt: null, budget: noBudget }
  return { v: 1, runId: 'dns.20261130T120000Z.abcdef', spec, storage, ...limits }
}
const runJob = {
  ...{ v: 1, runId: 'dns.1', hunt: null, params: {}, scheduledAt: '2026-11-30T12:00:00Z' },
  bundle: { folder: 'dns', contract: {}, binding: null, hashes: { contract: 'c', binding: 'b' } },
  window: { start: null, end: null },
  ...{ storage, tables: null, maxRows: null, require: 'any' },
  ...{ retry: 1, deadlineMs: 7_200_000, budget: noBudget },
}

describe('job payloads', () => {
  it('that we write are those that we read', () => {
    expect(tableJobSchema.parse(JSON.parse(JSON.stringify(tableJob())))).toEqual(tableJob())
    expect(runJobSchema.parse(runJob)).toEqual(runJob)
  })

  it.each<[string, object]>([
    ['another version', { ...runJob, v: 2 }],
    ['a run id that is a path', { ...runJob, runId: '../../etc' }],
    ['an unknown field', { ...runJob, secret: 'x' }],
    ['no rows', { ...runJob, maxRows: 0 }],
    ['an unknown demand', { ...runJob, require: 'perfect' }],
  ])('of runs are refused with %s', (_, job) => {
    expect(runJobSchema.safeParse(job).success).toBe(false)
  })

  it.each<[string, object]>([
    ['a table name that is a path', { table: '../x' }],
    ['a server name that is a key', { server: 'a:b' }],
    ['a strategy name that is a path', { strategy: 'a/b' }],
    ['no columns', { columns: [] }],
    ['an unknown field', { password: 'x' }],
  ])('of tables are refused with %s', (_, wrong) => {
    const job = tableJob()
    expect(tableJobSchema.safeParse({ ...job, spec: { ...job.spec, ...wrong } }).success).toBe(false)
  })
})
