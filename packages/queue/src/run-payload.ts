import { RunError, type RunJob, runIdPattern } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import { parseJson } from './parse-json.ts'
import { openPayload } from './payload.ts'

/**
 * The payload of a run as its record keeps it: BullMQ drops jobs when it likes, and a retry needs what the first
 * execution had. null: it is gone. Throws `RunError` PAYLOAD_INVALID.
 */
export async function readRunPayload(
  { redis, keys }: FleetRedis,
  runId: string,
  signingKey: string | null,
): Promise<RunJob | null> {
  if (!runIdPattern.test(runId)) return null
  const text = await redis.get(keys.payload(runId))
  if (text === null) return null
  const opened = openPayload('run', parseJson(text), signingKey)
  if (opened.is === 'invalid') throw opened.error
  if (opened.is === 'ours' && opened.payload.runId === runId) return opened.payload
  throw new RunError('PAYLOAD_INVALID', `the payload of run ${runId} is of another version or another run`, {
    hint: 'use the version of Huntfleet that enqueued it, or enqueue it again',
  })
}
