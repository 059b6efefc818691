import { huntsOf } from '@huntfleet/contract'
import type { HuntSource, QueueLog } from '@huntfleet/queue'
import { type HuntRunOptions, huntRunJob } from './hunt-run-job.ts'
import { notifyOfSlot } from './notify-of-slot.ts'

/** The hunts of a worker's project file. */
export function huntSource(options: HuntRunOptions & { logger: QueueLog }): HuntSource {
  const { project, env, masker, logger } = options
  return {
    hunts: huntsOf(project.text),
    prepare: (hunt, slot) => huntRunJob(hunt, slot, options),
    settled(hunt, entry, run) {
      if (hunt.notify === null) return
      // Whoever waits for a webhook would hold up the next slots.
      notifyOfSlot(hunt.notify, { hunt, entry, run }, { env, masker, folder: project.folder }).catch(
        (error) => logger.warn('notify', { hunt: hunt.name, slot: entry.slot, error: String(error) }),
      )
    },
  }
}
