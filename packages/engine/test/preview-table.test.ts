import { RunError, type TableSpec } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import { previewTable } from '../src/preview-table.ts'
import { pagedSource } from './paged-source.ts'
import { type Answer, jsonResult, readTool, ScriptedSessions, textResult } from './scripted-sessions.ts'
import { answerSpec, fetchSpec, pagedBy, tableSpec, unpaged } from './spec-fixture.ts'
import { errorOf, tablePorts } from './table-run.ts'

function preview(spec: TableSpec, answer: Answer, { rows = 5, tools = [readTool('search')] } = {}) {
  const sessions = new ScriptedSessions(answer, tools)
  const ports = tablePorts(sessions)
  return { sessions, ports, result: previewTable(spec, ports, { rows }) }
}

const offset = pagedBy('offset', { totalPath: 'total' })

describe('previewTable', () => {
  test('calls once and shows the call, the body, the columns and the first rows', async () => {
    const { result, sessions, ports } = preview(
      tableSpec([fetchSpec({ pagination: offset, args: { q: 'x' } })]),
      () => jsonResult({ rows: [{ id: 1, note: 'a' }, { id: 'odd' }, 'no row'], total: 30 }),
      { rows: 1 },
    )
    expect(await result).toMatchObject({
      table: 'events',
      call: { server: 'siem', tool: 'search', args: { q: 'x', from: 0, size: 10 } },
      body: { from: 'text' },
      columns: [
        { name: 'id', type: 'BIGINT', source: 'id', nulls: 1, rejects: 1 },
        { name: 'note', type: 'VARCHAR', source: 'note', nulls: 1, rejects: 0 },
      ],
      rows: [[1n, 'a']],
      rejects: [{ row: expect.any(Number), column: 'id' }],
      items: 3,
      estimate: { pages: 10, total: 30, seconds: 0 },
    })
    expect(sessions.calls).toHaveLength(1)
    expect([...ports.store.objects.keys()]).toEqual([])
    expect(sessions.released).toEqual([true])
    expect(ports.clock.pending).toBe(0)
  })

  test('asks with the page size that a run would ask with', async () => {
    const tools = [readTool('search', { from: {}, size: { maximum: 4 } })]
    const { result } = preview(
      tableSpec([fetchSpec({ pagination: offset })]),
      pagedSource({ total: 9 }).answer,
      { tools },
    )
    const { call, notes, items } = await result
    expect([call.args['size'], items]).toEqual([4, 4])
    expect(notes.join()).toContain('page_size 10')
  })

  test('submits and polls a search job first', async () => {
    const job = {
      submitTool: 'submit',
      submitArgs: {},
      submitLate: null,
      idPath: 'id',
      pollTool: 'poll',
      pollArgs: {},
      pollLate: [],
      pollParam: 'id',
      doneWhen: [{ path: 'done', test: 'equals' as const, value: true }],
      pollIntervalMs: 1_000,
    }
    const late = [{ at: ['id'], parts: [{ name: 'job.id', filters: [] }] }]
    const spec = tableSpec([fetchSpec({ args: { id: null }, late, pagination: { ...unpaged, job } })])
    const answer: Answer = ({ tool }) =>
      jsonResult(tool === 'search' ? { rows: [{ id: 1 }] } : { id: 7, done: true })
    const tools = ['submit', 'poll', 'search'].map((name) => readTool(name))
    const { result } = preview(spec, answer, { tools })
    expect(await result).toMatchObject({ call: { args: { id: 7 } }, rows: [[1n, null]] })
  })

  test('reads resources that the answer links to', async () => {
    const link = { type: 'resource_link', uri: 'file:///rows.json' }
    const spec = tableSpec([fetchSpec({ answer: answerSpec({ followLinks: true }) })])
    const { result, sessions } = preview(spec, () => textResult('', { content: [link] }))
    sessions.resources.set('file:///rows.json', '{"rows":[{"id":1}]}')
    expect((await result).items).toBe(1)
  })

  test('throws what a run would report', async () => {
    const fails = () => {
      throw new RunError('TOOL_FAILED', 'syntax error')
    }
    const { result, sessions } = preview(tableSpec([fetchSpec()]), fails)
    expect(await errorOf(result)).toMatchObject({ code: 'TOOL_FAILED', message: 'syntax error' })
    expect(sessions.released).toEqual([true])
  })

  test('has nothing to show of an empty for_each', async () => {
    const { result } = preview(tableSpec([]), () => jsonResult([]))
    expect(await errorOf(result)).toMatchObject({ code: 'USAGE_INVALID' })
  })

  test('shows structured content where the answer has no text', async () => {
    const answer = () => textResult('', { content: [], structuredContent: { rows: [{ id: 1 }] } })
    const { result } = preview(tableSpec([fetchSpec()]), answer)
    expect(await result).toMatchObject({
      body: { from: 'structured', text: '{\n  "rows": [\n    {\n      "id": 1\n    }\n  ]\n}' },
      items: 1,
    })
  })
})
