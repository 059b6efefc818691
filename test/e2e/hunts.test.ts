import { readFile } from 'node:fs/promises'
import { startRedis } from '@huntfleet/testing'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { openHunts } from './fixture/hunt-workspace.ts'
import type { Workspace } from './fixture/workspace.ts'

/** Hunts by the command line, as their author and their operator see them. */

const redis = await startRedis()
vi.setConfig({ testTimeout: 120_000 })
const given = test.skipIf(redis.skipped !== undefined)
afterAll(() => (redis.skipped === undefined ? redis.stop() : undefined))

const hunts = `hunts:
  often:
    strategy: hunt
    cron: "*/10 * * * * *"
    timezone: Europe/Berlin
    window: since_last_complete
    require: complete
  daily: { strategy: hunt, cron: "30 2 * * *", timezone: Europe/Berlin, window: 1d }
`
const open = (text = hunts) => {
  if (redis.skipped !== undefined) throw new Error(redis.skipped)
  return openHunts(redis, text)
}

const historySchema = z.object({
  slots: z.array(
    z.looseObject({
      slot: z.string(),
      status: z.string(),
      reason: z.string().nullable(),
      run_id: z.string().nullable(),
      outcome: z.string().nullable(),
    }),
  ),
})
async function history(workspace: Workspace, name: string) {
  const shown = await workspace.huntfleet('schedule', 'history', name, '--json')
  return historySchema.parse(shown.json()).slots
}

given('shows when a hunt fires over a change of clocks, and warns of windows that do not fit', async () => {
  const { workspace } = await open()
  const preview = ['schedule', 'preview', 'daily', '--from', '2026-10-23T12:00:00Z', '--count', '3']
  const shown = await workspace.huntfleet(...preview)
  expect(shown.stdout).toContain('2026-10-25T02:30:00+02:00  2026-10-25T00:30:00.000Z')
  expect(shown.stdout).toContain('2026-10-26T02:30:00+01:00  2026-10-26T01:30:00.000Z  1d1h')
  const { fires } = z
    .looseObject({ fires: z.array(z.unknown()) })
    .parse((await workspace.huntfleet(...preview, '--json')).json())
  expect(fires[0]).toEqual({
    at: '2026-10-24T00:30:00.000Z',
    local: '2026-10-24T02:30:00+02:00',
    after: null,
    window: { start: '2026-10-23T00:30:00.000Z', end: '2026-10-24T00:30:00.000Z' },
  })
  const validated = await workspace.huntfleet('validate')
  expect(validated.code).toBe(0)
  expect(validated.stdout).toMatch(
    /huntfleet.yaml:\d+:\d+: hunts.daily.window: .* 23h30m to 1d1h apart, .* overlap or leave gaps/,
  )
  expect((await workspace.huntfleet('schedule', 'preview', 'dialy')).stderr).toContain(
    'did you mean "daily"?',
  )
})

given('makes Redis equal to the file and says what it did', async () => {
  const { workspace } = await open()
  const apply = async (...more: string[]) => (await workspace.huntfleet('schedule', 'apply', ...more)).stdout
  expect(await apply('--dry-run')).toBe('added      daily\nadded      often\n')
  expect((await workspace.huntfleet('schedule', 'list', '--json')).json()).toEqual({ hunts: [] })
  expect(await apply()).toBe('added      daily\nadded      often\n')
  const file = await readFile(workspace.path('huntfleet.yaml'), 'utf8')
  await workspace.write({
    'huntfleet.yaml': file.replace('"*/10 * * * * *"', '"*/5 * * * *"').replace(/ {2}daily.*\n/, ''),
  })
  expect(await apply()).toBe('changed    often: cron\nremoved    daily\n')
  expect(await apply('--json')).toContain('"unchanged": [\n    "often"\n  ]')
  const list = (await workspace.huntfleet('schedule', 'list')).stdout
  expect(list).toContain('*/5 * * * * Europe/Berlin  enabled')
})

given(
  'runs, triggers, pauses and backfills a hunt, with one run per slot and windows that adjoin',
  async () => {
    const { workspace, source } = await open()
    await workspace.worker()
    const triggered = await workspace.huntfleet('schedule', 'trigger', 'daily', '--json')
    const { run_id: runId } = z.looseObject({ run_id: z.string() }).parse(triggered.json())
    await vi.waitFor(
      async () =>
        expect(await history(workspace, 'daily')).toMatchObject([{ run_id: runId, outcome: 'complete' }]),
      {
        timeout: 60_000,
      },
    )
    expect((await workspace.huntfleet('schedule', 'pause', 'daily')).stdout).toBe('hunt daily is paused\n')
    const range = ['--from', '2026-11-10T12:00:00Z', '--to', '2026-11-13T12:00:00Z', '--concurrency', '2']
    const filled = await workspace.huntfleet('backfill', 'daily', ...range, '--json')
    expect(filled.json()).toMatchObject({
      slots: ['11', '12', '13'].map((day) => ({
        slot: `2026-11-${day}T01:30:00.000Z`,
        run_id: `daily.202611${day}T013000Z`,
        status: 'complete',
        known: false,
      })),
    })
    const again = await workspace.huntfleet('backfill', 'daily', ...range, '--json')
    expect(again.json()).toMatchObject({ slots: [{ known: true }, { known: true }, { known: true }] })
    // The other hunt asks the same source about other windows.
    const windows = source.calls
      .map(({ args: { since, until } }) => [String(since), String(until)])
      .filter(([since = '']) => since.endsWith('T01:30:00.000Z'))
    expect(windows.sort()).toEqual(
      ['10', '11', '12'].map((day) => [
        `2026-11-${day}T01:30:00.000Z`,
        `2026-11-${Number(day) + 1}T01:30:00.000Z`,
      ]),
    )
    await vi.waitFor(
      async () =>
        expect(await history(workspace, 'often')).toContainEqual(
          expect.objectContaining({ status: 'ran', outcome: 'complete' }),
        ),
      { timeout: 90_000 },
    )
  },
)

given('fails the slots of a strategy that is broken, with the error, until it is mended', async () => {
  const { workspace } = await open(`hunts:
  broken: { strategy: hunt, cron: "@yearly", timezone: UTC, params: { dayz: 7 } }
`)
  expect((await workspace.huntfleet('validate')).stdout).toContain(
    'hunts.broken.params: unknown parameter "dayz"',
  )
  await workspace.worker()
  await workspace.huntfleet('schedule', 'trigger', 'broken')
  await vi.waitFor(
    async () =>
      expect(await history(workspace, 'broken')).toMatchObject([
        {
          status: 'failed',
          run_id: null,
          reason: expect.stringContaining('PARAM_INVALID: unknown parameter "dayz"'),
        },
      ]),
    { timeout: 30_000 },
  )
})
