import { RunError } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import type { HuntStep } from './hunt-draft.ts'
import type { HuntState } from './hunt-state.ts'
import { commitHunt, readHunt, redisNow } from './hunt-store.ts'

/** Others change the same hunt at the same moment; each round one of them succeeds. */
const mostRounds = 100

type Change = Pick<HuntStep, 'entries'> & { state: HuntState | null }

/**
 * Changes a hunt as `change` says, which is asked again with what is there then when somebody else was quicker.
 * null from it, or from here: there is nothing to change.
 */
export async function changeHunt<C extends Change>(
  fleet: FleetRedis,
  name: string,
  change: (state: HuntState | null, now: number) => Promise<C | null> | C | null,
): Promise<C | null> {
  for (let round = 0; round < mostRounds; round++) {
    const { revision, state } = await readHunt(fleet, name)
    const now = await redisNow(fleet)
    const changed = await change(state, now)
    if (changed === null) return null
    if (await commitHunt(fleet, name, revision, changed.state, changed.entries, now)) return changed
  }
  throw new RunError('INTERNAL', `hunt ${name} could not be changed: others change it all the time`)
}
