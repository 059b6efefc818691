import { randomInt } from 'node:crypto'

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Random characters that are safe in paths, keys and job ids. */
export function randomName(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** `20261130T120000Z` */
export function compactTime(time: Date): string {
  return time.toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '')
}

/** Id of a run by hand: `<strategy>.<UTC>.<6 random>`. */
export function newRunId(strategy: string, now: Date): string {
  return `${strategy}.${compactTime(now)}.${randomName(6)}`
}

/** Id of a run of a schedule: the same for everyone who starts this slot, so that it is started once. */
export function slotRunId(hunt: string, slot: Date): string {
  return `${hunt}.${compactTime(slot)}`
}

/** The hunt of a slot's run, also of a window that is fetched again (`….2`); null for a run by hand. */
export function huntOfRunId(runId: string): string | null {
  return /^(.+)\.\d{8}T\d{6}Z(?:\.\d)?$/.exec(runId)?.[1] ?? null
}

/** Name of one attempt at a table; a key with it is written once and never reused. */
export const newAttemptId = (): string => randomName(8)
