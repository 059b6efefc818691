import { type Hunt, type HuntSchedule, RunError } from '@huntfleet/contract'
import type { HuntSource } from '../src/hunt-source.ts'
import type { SlotEntry } from '../src/slot-entry.ts'
import { scheduleOf } from './hunt-model.ts'
import { runJob } from './worker-fakes.ts'

/** A hunt that fires every second and whose runs may overlap, unless told otherwise. */
export function huntOf(name: string, more: Partial<HuntSchedule> = {}): Hunt {
  const schedule = scheduleOf({ cron: '* * * * * *', overlap: 'allow', catchUp: 'all', ...more })
  return { name, schedule, strategy: 'dns', params: {}, require: 'any', notify: null, digest: 'd' }
}

/** The hunts of a worker; hunts whose name begins with `broken` cannot be prepared. */
export function sourceOf(hunts: readonly Hunt[], settled: SlotEntry[] = []): HuntSource {
  return {
    hunts,
    prepare: async (hunt, slot) => {
      if (hunt.name.startsWith('broken')) throw new RunError('CONTRACT_INVALID', 'no such column')
      return runJob(slot.runId, { hunt: hunt.name, scheduledAt: slot.scheduledAt, window: slot.window })
    },
    settled: (_hunt, entry) => void settled.push(entry),
  }
}
