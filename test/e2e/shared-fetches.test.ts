import { readFile } from 'node:fs/promises'
import { manifestSchema } from '@huntfleet/contract'
import { startRedis } from '@huntfleet/testing'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { eventBinding } from './fixture/event-strategy.ts'
import { openHunts } from './fixture/hunt-workspace.ts'
import type { Workspace } from './fixture/workspace.ts'

/** Runs that want the same table in the same way. */

const redis = await startRedis()
vi.setConfig({ testTimeout: 120_000 })
const given = test.skipIf(redis.skipped !== undefined)
afterAll(() => (redis.skipped === undefined ? redis.stop() : undefined))

const hunt = (name: string, more: string) =>
  `  ${name}: { strategy: hunt, cron: "@yearly", timezone: UTC${more} }\n`

/** Triggers a hunt and resolves with its manifest's table. */
async function tableOf(workspace: Workspace, name: string) {
  const triggered = await workspace.huntfleet('schedule', 'trigger', name, '--json')
  const { run_id: runId } = z.looseObject({ run_id: z.string() }).parse(triggered.json())
  const path = workspace.path('staging', '_runs', 'strategy=event-hunt', `run=${runId}`, 'manifest.json')
  const text = await vi.waitFor(() => readFile(path, 'utf8'), { timeout: 60_000, interval: 100 })
  const table = manifestSchema.parse(JSON.parse(text)).tables['events']
  if (table === undefined) throw new Error(text)
  return { runId, table }
}

given(
  'fetches a table once that two hunts want, and both manifests name the same object and say so',
  async () => {
    if (redis.skipped !== undefined) return
    const fresh = ', freshness: 10m'
    const { workspace, source } = await openHunts(
      redis,
      `hunts:\n${hunt('first', fresh)}${hunt('second', fresh)}${hunt('alone', '')}`,
    )
    // Nothing in it depends on the slot.
    await workspace.write({ 'hunt/binding.yaml': eventBinding })
    await workspace.worker()
    const first = await tableOf(workspace, 'first')
    expect(source.calls).toHaveLength(1)
    const second = await tableOf(workspace, 'second')
    expect(source.calls).toHaveLength(1)
    expect(second.table).toMatchObject({
      outcome: 'complete',
      rows: 3,
      calls: 0,
      path: first.table.path,
      sha256: first.table.sha256,
      shared_from: first.runId,
    })
    expect(first.table.shared_from).toBeUndefined()
    expect(first.table.notes).toEqual(['other runs may take this table for 10m (freshness)'])
    expect(second.table.notes.at(-1)).toMatch(new RegExp(`^fetched by run ${first.runId} at .* and shared`))
    // Without freshness there is nothing to share.
    expect((await tableOf(workspace, 'alone')).table).toMatchObject({ calls: 1, notes: [] })
    expect(source.calls).toHaveLength(2)
  },
)

given('waits for a run that is fetching the table, instead of fetching it as well', async () => {
  if (redis.skipped !== undefined) return
  const fresh = ', freshness: 10m'
  const { workspace, source } = await openHunts(
    redis,
    `hunts:\n${hunt('first', fresh)}${hunt('second', fresh)}`,
  )
  // Nothing in it depends on the slot.
  await workspace.write({ 'hunt/binding.yaml': eventBinding })
  await workspace.worker()
  const [first, second] = await Promise.all([tableOf(workspace, 'first'), tableOf(workspace, 'second')])
  expect(source.calls).toHaveLength(1)
  expect(second.table.path).toBe(first.table.path)
})
