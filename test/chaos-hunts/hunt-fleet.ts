import type { Hunt, RunJob } from '@huntfleet/contract'
import type { HuntSource, QueueLog, RunProcessor } from '@huntfleet/queue'

/** Hunts that fire every second and runs that have nothing to do: the schedules are what is tested. */

export function everySecond(count: number): Hunt[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `hunt-${String(i).padStart(2, '0')}`,
    strategy: 'dns',
    params: {},
    require: 'any',
    notify: null,
    digest: 'd',
    schedule: {
      cron: '* * * * * *',
      timezone: 'UTC',
      window: { kind: 'duration', ms: 1_000 },
      lagMs: 0,
      overlap: 'allow',
      catchUp: 'all',
      jitterMs: 0,
      enabled: true,
    },
  }))
}

export function emptyRuns(hunts: readonly Hunt[]): HuntSource {
  return {
    hunts,
    prepare: async (hunt, slot): Promise<RunJob> => ({
      v: 1,
      runId: slot.runId,
      hunt: hunt.name,
      bundle: {
        folder: 'dns',
        contract: { name: 'dns', version: '1' },
        binding: null,
        hashes: { contract: 'c', binding: 'b' },
      },
      params: {},
      scheduledAt: slot.scheduledAt,
      window: slot.window,
      storage: {
        url: 'file:///staging',
        endpoint: null,
        region: null,
        pathStyle: false,
        layout: '{run_id}/{table}',
      },
      tables: null,
      maxRows: null,
      require: 'any',
      retry: 1,
      deadlineMs: 86_400_000,
      budget: { maxBytes: null, maxPages: null, maxCalls: null },
    }),
    settled: () => {},
  }
}

export const nothingToFetch: RunProcessor = {
  plan: async () => ({ specs: [], entries: {} }),
  finish: async () => ({ status: 'complete', manifestKey: null }),
}

const quiet = (): void => {}
export const quietLog: QueueLog = { debug: quiet, info: quiet, warn: quiet, error: quiet }
