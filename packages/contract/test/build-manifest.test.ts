import { describe, expect, it } from 'vitest'
import { buildManifest, huntfleetVersion, type RunFacts } from '../src/build-manifest.ts'
import { exitCodeOfRun } from '../src/exit-code.ts'
import { manifestKey, manifestSchema, type TableEntry, unfetchedEntry } from '../src/manifest.ts'
import type { Outcome, Proof } from '../src/outcome.ts'
import { type ErrorDocument, RunError } from '../src/run-error.ts'

const table = { optional: false, columns: { id: 'BIGINT' } }

const entry = (
  outcome: Outcome,
  proof: Proof | null = null,
  error: ErrorDocument | null = null,
): TableEntry => ({
  ...unfetchedEntry('failed', 'because', table, error),
  ...{ outcome, proof, whole: outcome === 'complete' },
})

const facts = (require: RunFacts['require'] = 'any'): RunFacts => ({
  runId: 'dns.20261130T120000Z.abcdef',
  hunt: null,
  strategy: 'dns',
  version: '1',
  params: { days: 7 },
  scheduledAt: '2026-11-30T12:00:00.000Z',
  window: { start: null, end: null },
  startedAt: '2026-11-30T12:00:01.000Z',
  finishedAt: '2026-11-30T12:00:02.000Z',
  storage: 'file:///staging',
  require,
  retry: 1,
})

describe('a manifest', () => {
  it('has the facts of its run and the entries of its tables', () => {
    const manifest = buildManifest(facts(), { events: entry('complete', 'total') }, false)
    expect(manifestSchema.parse(JSON.parse(JSON.stringify(manifest)))).toEqual(manifest)
    expect(manifest).toMatchObject({
      manifest_version: 1,
      run_id: 'dns.20261130T120000Z.abcdef',
      status: 'complete',
      scheduled_at: '2026-11-30T12:00:00.000Z',
      huntfleet_version: huntfleetVersion,
      tables: { events: { outcome: 'complete' } },
    })
    expect(huntfleetVersion).toMatch(/^\d+\.\d+\.\d+/)
  })

  it.each<[RunFacts['require'], Outcome, Proof | null, string]>([
    ['any', 'row_cap', null, 'partial'],
    ['complete', 'row_cap', null, 'failed'],
    ['complete', 'complete', 'unpaged', 'complete'],
    ['complete', 'skipped', null, 'complete'],
    ['complete', 'cancelled', null, 'cancelled'],
    ['complete', 'awaiting_agent', null, 'pending'],
    ['proven', 'complete', 'unpaged', 'failed'],
    ['proven', 'complete', 'agent', 'failed'],
    ['proven', 'complete', null, 'failed'],
    ['proven', 'complete', 'total', 'complete'],
    ['proven', 'complete', 'short_page', 'complete'],
    ['proven', 'native', null, 'complete'],
  ])('that requires %s, with a table %s by %s, is %s', (require, outcome, proof, status) => {
    expect(buildManifest(facts(require), { events: entry(outcome, proof) }, true).status).toBe(status)
  })

  it('has its own key for every retry', () => {
    expect(manifestKey('dns', 'dns.1')).toBe('_runs/strategy=dns/run=dns.1/manifest.json')
    expect(manifestKey('dns', 'dns.1', 2)).toBe('_runs/strategy=dns/run=dns.1/manifest.2.json')
  })
})

describe('the entry of a table that was not fetched', () => {
  it('counts nothing, has no file and names its columns', () => {
    expect(unfetchedEntry('native', 'the strategy fetches it', table)).toMatchObject({
      ...{ outcome: 'native', whole: false, rows: 0, path: null, sha256: null, error: null },
      columns: { id: { type: 'BIGINT', nulls: 0, rejects: 0 } },
    })
  })
})

describe('the exit code of a run', () => {
  const failed = (code: RunError['code']) => entry('failed', null, new RunError(code, 'x').toJSON())

  it.each<[string, number, Record<string, TableEntry>]>([
    ['complete', 0, { a: entry('complete') }],
    ['native and skipped', 0, { a: entry('native'), b: entry('skipped') }],
    ['partial', 5, { a: entry('complete'), b: failed('TOOL_FAILED') }],
    ['waiting for agents', 5, { a: entry('awaiting_agent') }],
    ['cancelled', 130, { a: entry('cancelled') }],
    ['failed for the configuration', 2, { a: failed('SERVER_UNKNOWN') }],
    ['failed at the source', 3, { a: failed('SOURCE_UNREACHABLE') }],
    ['failed by a refusal', 3, { a: failed('SOURCE_DENIED') }],
    ['failed for the data', 4, { a: failed('PARSE_FAILED') }],
    ['failed for the budget', 5, { a: failed('BUDGET_SPENT') }],
    ['failed at the storage', 6, { a: failed('SINK_UNREACHABLE') }],
    ['failed by a bug', 70, { a: failed('INTERNAL') }],
    ['failed twice: the first counts', 3, { a: failed('TOOL_FAILED'), b: failed('PARSE_FAILED') }],
  ])('that is %s is %i', (_, code, tables) => {
    expect(exitCodeOfRun(buildManifest(facts(), tables, true))).toBe(code)
  })

  it('of a run that demands whole tables and has none is that of missing data', () => {
    expect(exitCodeOfRun(buildManifest(facts('complete'), { a: entry('row_cap') }, true))).toBe(4)
  })
})
