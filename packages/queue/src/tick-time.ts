import { nextFire } from '@huntfleet/contract'

/**
 * When BullMQ is to make the next tick of a scheduler: at the fire time that the ledger expects. Its own library finds
 * other times around changes of clocks. Every queue and worker that may write schedulers must have it.
 */
export function nextTick(
  after: number,
  { pattern, tz }: { pattern?: string; tz?: string },
): number | undefined {
  return nextFire({ cron: pattern ?? '', timezone: tz ?? 'UTC' }, after) ?? undefined
}
