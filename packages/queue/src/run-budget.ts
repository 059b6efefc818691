import type { RunBudgetLimits } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import { runRecordSeconds } from './job-catalog.ts'
import type { RunBudget } from './processors.ts'
import { throwRefusal } from './redis-refusal.ts'
import { untilAborted } from './until-aborted.ts'

/** Counts a call unless a limit is reached; then the answer is its name and how much was spent of it. */
const takeScript = `
local names = {'bytes', 'pages', 'calls'}
for i, name in ipairs(names) do
  local limit = tonumber(ARGV[i])
  local spent = tonumber(redis.call('HGET', KEYS[1], name) or '0')
  if limit > 0 and spent >= limit then return {name, tostring(spent)} end
end
redis.call('HINCRBY', KEYS[1], 'calls', 1)
redis.call('EXPIRE', KEYS[1], ARGV[4])
return false`

/**
 * What the tables of a run have spent together, counted in Redis over all workers; null when the run has no limits.
 * Calls are counted before they are made and never exceed their limit; bytes and pages are known afterwards, so each
 * table that is being fetched may exceed those by what its last call brings.
 */
export function openRunBudget(
  { redis, keys }: FleetRedis,
  runId: string,
  retry: number,
  { maxBytes, maxPages, maxCalls }: RunBudgetLimits,
  signal: AbortSignal,
): RunBudget | null {
  if (maxBytes === null && maxPages === null && maxCalls === null) return null
  const key = keys.spent(runId, retry)
  return {
    async take() {
      const limits = [maxBytes ?? 0, maxPages ?? 0, maxCalls ?? 0]
      const asked = redis.eval(takeScript, 1, key, ...limits, runRecordSeconds)
      const refused = await untilAborted(asked.catch(throwRefusal), signal)
      if (!Array.isArray(refused)) return undefined
      const [name, spent] = refused.map(String)
      const limit = name === 'bytes' ? maxBytes : name === 'pages' ? maxPages : maxCalls
      return `max_${name} of the run (${limit}) is reached: ${spent} ${name} over all of its tables`
    },
    async spend({ pages, bytes }) {
      const counted = redis.multi().hincrby(key, 'pages', pages).hincrby(key, 'bytes', bytes)
      await untilAborted(counted.expire(key, runRecordSeconds).exec().catch(throwRefusal), signal)
    },
  }
}
