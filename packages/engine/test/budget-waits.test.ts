import { RunError } from '@huntfleet/contract'
import { expect, test } from 'vitest'
import { runTable } from '../src/run-table.ts'
import type { TablePorts } from '../src/table-ports.ts'
import { CheckpointPlace } from './memory-checkpoint.ts'
import { type Answer, jsonResult, ScriptedSessions, textResult } from './scripted-sessions.ts'
import { answerSpec, budgetSpec, fetchSpec, pagedBy, tableSpec } from './spec-fixture.ts'
import { errorOf, type TestPorts, tablePorts } from './table-run.ts'

/** Every wait for a source ends with the table's budget, of which an earlier attempt has used a part. */

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
const page = Array.from({ length: 10 }, (_, id) => ({ id }))
const pages: Answer = () => jsonResult({ rows: page })

interface Wait {
  answer?: Answer
  ports?: (own: ScriptedSessions) => Partial<TablePorts>
  /** Whether the wait is a sleep, which moves the clock by itself. */
  sleeps?: boolean
}

const waits: Record<string, Wait> = {
  'for a session': { ports: () => ({ sessions: { lease: (_s, _k, signal) => untilAborted(signal) } }) },
  'for the limits of the server': {
    ports: () => ({ limiter: { acquire: (_server, signal) => untilAborted(signal), rateLimited: () => {} } }),
  },
  'for an answer': { answer: ({ signal }) => untilAborted(signal) },
  'for a linked resource': {
    answer: () => ({ ...textResult(''), content: [{ type: 'resource_link', uri: 'log://1' }] }),
    ports: (own) => ({
      sessions: {
        lease: async (...given) => {
          const lease = await own.lease(...given)
          const session = {
            ...lease.session,
            readResource: (_uri: string, { signal }: { signal: AbortSignal }) => untilAborted(signal),
          }
          return { ...lease, session }
        },
      },
    }),
  },
  'that the source asks for': {
    answer: () => textResult('rate limit exceeded, retry after 3600 seconds', { isError: true }),
    sleeps: true,
  },
  'before the next try': {
    answer: () => {
      throw new RunError('SOURCE_UNREACHABLE', 'gone')
    },
    sleeps: true,
  },
}

test.each(Object.entries(waits))('a wait %s ends with what is left of the budget', async (_what, wait) => {
  const fetch = fetchSpec({
    pagination: pagedBy('offset'),
    answer: answerSpec({ followLinks: true }),
    retry: { attempts: 99, baseMs: 7_000, maxMs: 7_000 },
    timeoutMs: 600_000,
  })
  const spec = tableSpec([fetch], { budget: budgetSpec({ timeMs: 20_000 }) })
  const place = new CheckpointPlace()
  // The first worker has spent five seconds and has one page when it dies.
  let first: TestPorts | undefined
  const dying = new ScriptedSessions(async (call) => {
    if (call.number > 1) throw new RunError('LOCK_LOST', 'died')
    await first?.clock.advance(5_000)
    return await pages(call)
  })
  first = tablePorts(dying, { checkpoint: place.open() })
  await errorOf(runTable(spec, first))

  const sessions = new ScriptedSessions(wait.answer ?? pages)
  const heir = tablePorts(sessions, { checkpoint: place.open(), ...wait.ports?.(sessions) })
  const startedAt = heir.clock.now()
  const running = runTable(spec, heir)
  if (wait.sleeps !== true) {
    await expect.poll(() => heir.clock.pending).toBeGreaterThan(0)
    await heir.clock.advance(14_999)
    expect(heir.clock.pending).toBeGreaterThan(0)
    await heir.clock.advance(1)
  }
  const entry = await running
  expect(entry).toMatchObject({ outcome: 'time_budget', rows: 10, duration_ms: 20_000 })
  expect(heir.clock.now() - startedAt).toBe(15_000)
})
