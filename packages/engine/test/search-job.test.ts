import type { FetchSpec, LateArgument, PaginationSpec, SearchJobSpec, TableSpec } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import { pagedSource } from './paged-source.ts'
import { type Answer, jsonResult, readTool, ScriptedSessions, textResult } from './scripted-sessions.ts'
import { budgetSpec, fetchSpec, pagedBy, tableSpec, unpaged } from './spec-fixture.ts'
import { idsOf, run } from './table-run.ts'

const job = (more: Partial<SearchJobSpec> = {}): SearchJobSpec => ({
  submitTool: 'submit',
  submitArgs: { query: 'x' },
  submitLate: null,
  idPath: 'job.id',
  pollTool: 'poll',
  pollArgs: { verbose: true },
  pollLate: [],
  pollParam: 'id',
  doneWhen: [{ path: 'state', test: 'equals', value: 'done' }],
  pollIntervalMs: 5_000,
  ...more,
})

const placeholder = (at: string, name: string): LateArgument => ({ at: [at], parts: [{ name, filters: [] }] })
const tools = ['submit', 'poll', 'search'].map((name) => readTool(name))

interface Options {
  job?: Partial<SearchJobSpec>
  pagination?: PaginationSpec
  fetch?: Partial<FetchSpec>
  budget?: Partial<TableSpec['budget']>
  states?: unknown[]
  submitted?: ReturnType<typeof jsonResult>
}

/** Runs a table whose search is submitted and polled; `states` are the answers of the polls in turn. */
async function search(results: Answer, options: Options = {}) {
  const { states = [{ state: 'done' }], submitted = jsonResult({ job: { id: 'j-1' } }) } = options
  let polls = 0
  const sessions = new ScriptedSessions((call) => {
    if (call.tool === 'submit') return submitted
    if (call.tool !== 'poll') return results(call)
    return jsonResult(states[Math.min(polls++, states.length - 1)])
  }, tools)
  const pagination = { ...(options.pagination ?? unpaged), job: job(options.job) }
  const args = { query: 'x', id: null }
  const late = [placeholder('id', 'job.id')]
  const spec = tableSpec([fetchSpec({ args, late, pagination, ...options.fetch })], {
    budget: budgetSpec(options.budget),
  })
  const result = await run(spec, sessions)
  const seen = sessions.calls.map(({ tool, args: sent }) => [tool, sent])
  return { ...result, seen, ids: idsOf(result) }
}

const rows = jsonResult({ rows: [{ id: 1 }] })

describe('a search job', () => {
  test('is submitted, polled until it is done, and read with its id', async () => {
    const states = [{ state: 'queued' }, { state: 'running' }, { state: 'done' }]
    const { seen, entry, ids, ports } = await search(() => rows, { states })
    const poll = ['poll', { verbose: true, id: 'j-1' }]
    expect(seen).toEqual([
      ['submit', { query: 'x' }],
      poll,
      poll,
      poll,
      ['search', { query: 'x', id: 'j-1' }],
    ])
    expect(ports.clock.slept).toEqual([5_000, 5_000])
    expect(entry).toMatchObject({ outcome: 'complete', calls: 5, pages: 1 })
    expect(ids).toEqual([1])
  })

  test('is paged through when it is done', async () => {
    const { ids, seen } = await search(pagedSource({ total: 23 }).answer, { pagination: pagedBy('offset') })
    expect(ids).toHaveLength(23)
    expect(seen.at(-1)).toEqual(['search', { query: 'x', id: 'j-1', from: 20, size: 10 }])
  })

  test('sends an id beyond 2^53 back with all its digits', async () => {
    const { seen } = await search(() => rows, { submitted: textResult('{"job":{"id":9007199254740993}}') })
    expect(seen[1]).toEqual(['poll', { verbose: true, id: '9007199254740993' }])
  })

  test('puts the id at a dot-path of the poll’s arguments', async () => {
    const { seen } = await search(() => rows, {
      job: { pollParam: 'search.id', pollArgs: { search: { a: 1 } } },
    })
    expect(seen[1]).toEqual(['poll', { search: { a: 1, id: 'j-1' } }])
  })

  test('leaves out of the submit call what waits for the job or the page, and fills secrets', async () => {
    const { seen } = await search(pagedSource({ total: 1 }).answer, {
      pagination: pagedBy('offset', { offsetParam: null }),
      job: { submitArgs: { query: 'x', id: null, from: null, key: null } },
      fetch: {
        args: { query: 'x', id: null, from: null, key: null },
        late: [
          placeholder('id', 'job.id'),
          placeholder('from', 'page.offset'),
          placeholder('key', 'secret.K'),
        ],
      },
    })
    expect(seen[0]).toEqual(['submit', { query: 'x', key: 'hunter2-secret-K' }])
    expect(seen.at(-1)).toEqual([
      'search',
      { query: 'x', id: 'j-1', from: 0, key: 'hunter2-secret-K', size: 10 },
    ])
  })

  test('sends submit_args of its own as they are, whatever waits in mcp_args', async () => {
    const { seen } = await search(() => rows, { job: { submitArgs: { spl: 'search index=x' } } })
    expect(seen[0]).toEqual(['submit', { spl: 'search index=x' }])
  })

  test.each<[SearchJobSpec['doneWhen'][number], unknown, unknown]>([
    [{ path: 'done', test: 'exists', value: true }, {}, { done: 1 }],
    [{ path: 'pending', test: 'exists', value: false }, { pending: 3 }, {}],
    [{ path: 'done', test: 'equals', value: true }, { done: false }, { done: true }],
    [{ path: 'state', test: 'in', value: ['done', 'finished'] }, { state: 'x' }, { state: 'finished' }],
    [{ path: 'progress', test: 'matches', value: '^100' }, { progress: '10%' }, { progress: '100%' }],
    [{ path: 'progress', test: 'equals', value: 1 }, { progress: 0.5 }, { progress: 1.0 }],
  ])('is done when %j', async (rule, before, after) => {
    const { seen, ids } = await search(() => rows, { job: { doneWhen: [rule] }, states: [before, after] })
    expect(seen.filter(([tool]) => tool === 'poll')).toHaveLength(2)
    expect(ids).toEqual([1])
  })

  test.each<[string, Options, object]>([
    [
      'has no id',
      { submitted: jsonResult({ job: {} }) },
      { outcome: 'failed', error: { code: 'ITEMS_NOT_FOUND' } },
    ],
    [
      'is refused',
      { submitted: textResult('syntax error', { isError: true }) },
      { outcome: 'failed', error: { code: 'TOOL_FAILED' } },
    ],
    [
      'fails',
      { states: [{ state: 'x', status: 'failed' }] },
      { outcome: 'failed', error: { code: 'TOOL_FAILED' } },
    ],
    [
      'never ends',
      { states: [{ state: 'running' }], budget: { timeMs: 60_000 } },
      { outcome: 'time_budget', rows: 0, calls: 13 },
    ],
    [
      'takes more polls than max_calls',
      { states: [{ state: 'running' }], budget: { maxCalls: 4 } },
      { outcome: 'limit_reached', rows: 0, calls: 4 },
    ],
  ])('tells the truth about a search that %s', async (_, options, expected) => {
    expect((await search(() => rows, options)).entry).toMatchObject(expected)
  })

  test('stops polling when it is cancelled', async () => {
    const controller = new AbortController()
    const sessions = new ScriptedSessions(({ tool }) => {
      if (tool === 'submit') return jsonResult({ job: { id: 1 } })
      controller.abort(new Error('stop'))
      return jsonResult({ state: 'running' })
    }, tools)
    const spec = tableSpec([fetchSpec({ pagination: { ...unpaged, job: job() } })])
    await run(spec, sessions, { signal: controller.signal })
    expect(sessions.calls).toHaveLength(2)
  })
})
