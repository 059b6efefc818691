import { RunError, unknownName } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import type { HuntState } from './hunt-state.ts'
import { readHunt, scheduledHunts } from './hunt-store.ts'

/** What is remembered of a hunt; throws `RunError` HUNT_NOT_FOUND when it is not scheduled. */
export async function requireHunt(fleet: FleetRedis, name: string): Promise<HuntState> {
  const { state } = await readHunt(fleet, name)
  if (state !== null) return state
  throw new RunError('HUNT_NOT_FOUND', unknownName('hunt', name, await scheduledHunts(fleet)), {
    hint: 'huntfleet schedule apply schedules the hunts of huntfleet.yaml',
  })
}
