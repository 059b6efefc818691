import {
  type Finding,
  findingAt,
  firesBetween,
  formatDuration,
  type Hunt,
  huntsOf,
  nextFire,
  runWindowOf,
  storageTarget,
  toRunError,
  windowOfSlot,
} from '@huntfleet/contract'
import { huntRunJob } from '@huntfleet/worker'
import type { ProjectContext } from './project-context.ts'

/** More than a year of a daily hunt, so that every change of clocks is among them. */
const firesLookedAt = 400

/** What of the project's hunts would go wrong only at their first slot. */
export async function checkHunts(context: ProjectContext, now: Date): Promise<Finding[]> {
  const { source, text } = context.project
  if (source === null) return []
  const findings: Finding[] = []
  for (const hunt of huntsOf(text)) {
    const wrong = await wrongWithStart(context, hunt, now)
    if (wrong !== null) {
      const path = ['hunts', hunt.name, wrong.code === 'PARAM_INVALID' ? 'params' : 'strategy']
      findings.push(findingAt(source, 'error', wrong.code, path, `${path.join('.')}: ${wrong.message}`))
    }
    const uneven = unevenWindows(hunt, now)
    if (uneven !== null) {
      const path = ['hunts', hunt.name, 'window']
      findings.push(findingAt(source, 'warning', 'PROJECT_INVALID', path, `${path.join('.')}: ${uneven}`))
    }
  }
  return findings
}

/** Why the next slot could not be started; what is wrong in the strategy's own files is said there. */
async function wrongWithStart(context: ProjectContext, hunt: Hunt, now: Date) {
  const { project, vocabulary, masker, overlay } = context
  const slot = nextFire(hunt.schedule, now.getTime()) ?? now.getTime()
  const window = runWindowOf(windowOfSlot(hunt.schedule, slot, null) ?? { start: null, end: null })
  const storage = storageTarget(project, process.env, masker)
  try {
    await huntRunJob(
      hunt,
      { runId: 'check', scheduledAt: new Date(slot).toISOString(), window },
      { project, vocabulary, env: process.env, masker, storage, overlay },
    )
    return null
  } catch (thrown) {
    const error = toRunError(thrown)
    return ['CONTRACT_INVALID', 'BINDING_INVALID', 'TABLE_UNBOUND'].includes(error.code) ? null : error
  }
}

/** A window of fixed length fits fire times of one distance only. */
function unevenWindows({ schedule }: Hunt, now: Date): string | null {
  if (schedule.window.kind !== 'duration') return null
  const fires = firesBetween(schedule, now.getTime(), Number.POSITIVE_INFINITY, firesLookedAt)
  const distances = fires.slice(1).map((at, i) => at - (fires[i] ?? at))
  const [least, most] = [Math.min(...distances), Math.max(...distances)]
  const { ms } = schedule.window
  if (least === ms && most === ms) return null
  const apart = least === most ? formatDuration(least) : `${formatDuration(least)} to ${formatDuration(most)}`
  const effect = most > ms ? (least < ms ? 'overlap or leave gaps' : 'leave gaps') : 'overlap'
  return `its fire times are ${apart} apart, so windows of ${formatDuration(ms)} ${effect}; since_last_complete does neither`
}
