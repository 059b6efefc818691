import { createMasker, RunError, type TableSpec } from '@huntfleet/contract'
import { afterEach, describe, expect, test } from 'vitest'
import type { TablePorts } from '../../src/table-ports.ts'
import type { PipelineThreads, PipelineThreadsOptions } from '../../src/threads/pipeline-threads.ts'
import { adaptersOf } from '../custom-adapters/adapter-modules.ts'
import { CheckpointPlace } from '../memory-checkpoint.ts'
import { MemoryStore } from '../memory-store.ts'
import { pagedSource } from '../paged-source.ts'
import { type Answer, jsonResult, ScriptedSessions, textResult } from '../scripted-sessions.ts'
import { answerSpec, columnSpec, fetchSpec, pagedBy, tableSpec } from '../spec-fixture.ts'
import { errorOf, idsOf, pipelineThreads, readRows, run } from '../table-run.ts'

const opened: PipelineThreads[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((threads) => threads.close()))
})

function openThreads(more: Partial<PipelineThreadsOptions> = {}): PipelineThreads {
  const threads = pipelineThreads(more)
  opened.push(threads)
  return threads
}

/** Runs a table in these threads against this answer. */
async function runIn(
  threads: PipelineThreads,
  answer: Answer,
  spec: TableSpec = tableSpec([fetchSpec()]),
  more: Partial<TablePorts> = {},
) {
  const openPipeline: TablePorts['openPipeline'] = (of, options) => threads.open(of, options)
  return await run(spec, new ScriptedSessions(answer), { openPipeline, ...more })
}

const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ id: from + n, note: `row ${from + n}` }))
const few = () => jsonResult({ rows: rows(3) })
const named = (table: string, more: Partial<TableSpec> = {}) =>
  tableSpec([fetchSpec()], { table, dataPrefix: `table=${table}`, ...more })
const ndjson = fetchSpec({ answer: answerSpec({ format: 'ndjson', itemsPath: null }) })

describe('pipeline threads', () => {
  test('take many tables at once, each in its own order', async () => {
    const threads = openThreads({ size: 2 })
    const pagination = pagedBy('offset')
    const tables = Array.from({ length: 8 }, async (_, n) => {
      const spec = tableSpec([fetchSpec({ pagination })], { table: `t${n}` })
      const paged: Answer = ({ args }) =>
        jsonResult({ rows: Number(args['from']) < 40 + n ? rows(10, Number(args['from'])) : [] })
      return idsOf(await runIn(threads, paged, spec))
    })
    for (const ids of await Promise.all(tables)) expect(ids).toEqual(rows(ids.length).map(({ id }) => id))
  })

  test('hand the file over piece by piece, the next when the last is stored', async () => {
    let writing = 0
    let most = 0
    const threads = openThreads()
    const openPipeline: TablePorts['openPipeline'] = (of, options) =>
      threads.open(of, {
        ...options,
        compression: 'none',
        write: async (bytes) => {
          writing += 1
          most = Math.max(most, writing)
          expect(bytes.length).toBeLessThanOrEqual(4 * 1024 * 1024)
          // Whoever does not wait is here again before this turn ends.
          await new Promise(setImmediate)
          await options.write(bytes)
          writing -= 1
        },
      })
    const text = 'x'.repeat(200)
    const many = rows(60_000).map(({ id }) => JSON.stringify({ id, note: `${id} ${text}` }))
    const spec = tableSpec([ndjson], { budget: { ...tableSpec([]).budget, maxRows: 100_000 } })
    const result = await runIn(threads, () => textResult(many.join('\n')), spec, { openPipeline })
    expect(idsOf(result)).toEqual(rows(60_000).map(({ id }) => id))
    expect(most).toBe(1)
  })

  test('give back what the storage threw, as it was', async () => {
    const refused = new RunError('SINK_DENIED', 'no write')
    const threads = openThreads()
    const openPipeline: TablePorts['openPipeline'] = (of, options) =>
      threads.open(of, { ...options, write: () => Promise.reject(refused) })
    expect(await errorOf(runIn(threads, few, undefined, { openPipeline }))).toBe(refused)
  })

  test('mask secrets in rejects, those that were learned on the way too', async () => {
    const masker = createMasker([{ name: 'first', value: 'known-before' }])
    const threads = openThreads({ masker })
    const spec = tableSpec([fetchSpec({ pagination: pagedBy('offset') })])
    const { entry, ports } = await runIn(
      threads,
      ({ number }) => {
        if (number === 2) masker.add('second', 'learned-later')
        return jsonResult({
          rows: number > 2 ? [] : [...rows(9, number * 10), { id: 'known-before learned-later' }],
        })
      },
      spec,
    )
    const file = await ports.store.get(entry.rejects_path ?? '')
    const rejects = await readRows(file ?? new Uint8Array())
    expect(rejects.map((reject) => reject['raw'])).toEqual(['"*** learned-later"', '"*** ***"'])
  })

  test('refuse tables once they are closed, and end those that are open', async () => {
    const threads = openThreads()
    const pipeline = threads.open(tableSpec([fetchSpec()]), {
      compression: 'zstd',
      parquetEngine: 'columnar',
      keepPages: false,
      write: async () => {},
    })
    await threads.close()
    expect((await errorOf(pipeline.begin(0, pagedBy('offset')))).code).toBe('SHUTDOWN')
    expect(() =>
      threads.open(named('late'), {
        compression: 'zstd',
        parquetEngine: 'columnar',
        keepPages: false,
        write: async () => {},
      }),
    ).toThrow('are closed')
  })
})

describe('a pipeline thread', () => {
  test('that needs too much memory fails its tables, and the next table gets a new one', async () => {
    const threads = openThreads({ size: 1, memoryMb: 24 })
    const { entry, rows: stored } = await runIn(threads, () => jsonResult({ rows: rows(400_000) }))
    expect(stored).toBeNull()
    expect(entry).toMatchObject({
      outcome: 'failed',
      rows: 0,
      error: { code: 'THREAD_LOST', table: 'events' },
    })
    expect(entry.reason).toContain('needed more than 24 MiB of memory and was ended')
    expect(entry.columns['id']).toEqual({ type: 'BIGINT', nulls: 0, rejects: 0 })
    expect(idsOf(await runIn(threads, few))).toEqual([0, 1, 2])
  })

  test('that is lost is not asked again: no call and no other part of the table', async () => {
    const threads = openThreads({ size: 1, memoryMb: 24 })
    const big = jsonResult({ rows: rows(400_000) })
    const asked: unknown[] = []
    const parts = [fetchSpec({ label: 'a', args: { part: 1 } }), fetchSpec({ label: 'b', args: { part: 2 } })]
    const { entry } = await runIn(
      threads,
      ({ args }) => {
        asked.push(args['part'])
        return big
      },
      tableSpec(parts),
    )
    expect(entry.error?.code).toBe('THREAD_LOST')
    expect(asked).toEqual([1])
  })

  test('that is lost in the middle costs a table with a checkpoint one page', async () => {
    const threads = openThreads({ size: 1, memoryMb: 24 })
    const place = new CheckpointPlace()
    const store = new MemoryStore()
    const spec = tableSpec([fetchSpec({ pagination: pagedBy('offset') })])
    const asked: number[] = []
    const { answer } = pagedSource({ total: 33 })
    const attempt = (answers: Answer) =>
      runIn(
        threads,
        (call) => {
          asked.push(Number(call.args['from']))
          return answers(call)
        },
        spec,
        { store, checkpoint: place.open(), lastAttempt: false },
      )
    const first = attempt((call) => (call.number === 3 ? jsonResult({ rows: rows(400_000) }) : answer(call)))
    expect((await errorOf(first)).code).toBe('THREAD_LOST')
    expect(idsOf(await attempt(answer))).toEqual(rows(33).map(({ id }) => id))
    expect(asked).toEqual([0, 10, 20, 20, 30])
  })

  test('that hangs is ended: its table has failed, the others in it may be tried again', async () => {
    const threads = openThreads({ size: 1, hangMs: 1 })
    const hanging = {
      ...named('slow'),
      fetches: [{ ...ndjson, timeoutMs: 1 }],
    }
    const lines = rows(300_000).map((row) => JSON.stringify(row))
    const asked = Promise.withResolvers<void>()
    const other = runIn(
      threads,
      async () => {
        await asked.promise
        return few()
      },
      named('other'),
    )
    const slow = await runIn(threads, () => textResult(lines.join('\n')), hanging)
    asked.resolve()
    expect(slow.entry).toMatchObject({ outcome: 'failed', error: { code: 'PARSE_FAILED', table: 'slow' } })
    expect(slow.entry.reason).toBe('reading the answer did not end within 0.001 s and was ended')
    const { entry } = await other
    expect(entry).toMatchObject({ outcome: 'failed', error: { code: 'THREAD_LOST' } })
    expect(entry.reason).toContain('reading an answer of table slow did not end')
    expect(idsOf(await runIn(threads, few))).toEqual([0, 1, 2])
  })

  test('that is busy does not hold up an abort', async () => {
    const abort = new AbortController()
    const threads = openThreads({ size: 1 })
    const lines = rows(200_000).map((row) => JSON.stringify(row))
    const reason = new RunError('LOCK_LOST', 'somebody else has the table')
    const answer: Answer = () => {
      // Comes when the thread has begun to read.
      setTimeout(() => abort.abort(reason), 20)
      return textResult(lines.join('\n'))
    }
    const running = runIn(threads, answer, tableSpec([ndjson]), { signal: abort.signal })
    expect(await errorOf(running)).toMatchObject({ code: 'LOCK_LOST', message: reason.message })
  })
})

describe('a custom adapter below a pipeline thread', () => {
  async function runAdapter(source: string, timeoutMs = 30_000) {
    const custom = await adaptersOf({ 'mine.mjs': source })
    const threads = openThreads({ modules: custom.modules })
    const answer = answerSpec({ adapter: 'mine', itemsPath: null })
    const mapping = [[{ from: 'path' as const, path: 'text' }]]
    const spec = tableSpec([fetchSpec({ answer, mapping, timeoutMs })], {
      columns: [columnSpec('text', 'VARCHAR')],
    })
    return await runIn(threads, () => textResult('a\nb'), spec)
  }

  test('gives the rows of a table', async () => {
    const { entry, rows: stored } = await runAdapter(
      'export default (text) => text.split("\\n").map((text) => ({ text }))',
    )
    expect(entry).toMatchObject({ outcome: 'complete', rows: 2 })
    expect(stored).toEqual([{ text: 'a' }, { text: 'b' }])
  })

  test.each([
    ['throws', 'export default () => { throw new RangeError("no luck") }', 'adapter mine: no luck'],
    [
      'hangs',
      'export default () => { for (;;); }',
      'adapter mine: it did not finish within 0.5 s and was ended',
    ],
    ['ends', 'export default () => process.exit(3)', 'adapter mine: it ended its thread (process.exit?)'],
  ])('that %s fails its table alone, in the words that it has elsewhere', async (_, source, words) => {
    const { entry } = await runAdapter(source, 500)
    expect(entry).toMatchObject({ outcome: 'failed', error: { code: 'PARSE_FAILED' } })
    expect(entry.reason).toBe(words)
  })
})
