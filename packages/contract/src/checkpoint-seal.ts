import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type CheckpointState, checkpointStateSchema, type SavedCheckpoint } from './checkpoint.ts'

/** The chain of no pages. */
export const noPages = ''

/** A hash of all pages up to this one, in their order. */
export function chainPage(chain: string, page: Uint8Array): string {
  return createHash('sha256').update(chain).update(page).digest('hex')
}

/**
 * A checkpoint's state as text, bound to its job and to the pages that belong to it; signed when the fleet has a
 * `queue.signing_key` (SPEC section 16.1).
 */
export function sealCheckpoint(
  jobId: string,
  state: CheckpointState,
  chain: string,
  signingKey: string | null,
): string {
  const body = JSON.stringify({ job: jobId, chain, state })
  return `${signature(jobId, body, signingKey)}\n${body}`
}

/** Checks signature, pages and shape of a checkpoint; a string says why it is not to be trusted. Never throws. */
export function openCheckpoint(
  jobId: string,
  text: string,
  pages: readonly Uint8Array[],
  signingKey: string | null,
): SavedCheckpoint | string {
  const end = text.indexOf('\n')
  const body = text.slice(end + 1)
  if (!isEqual(text.slice(0, Math.max(0, end)), signature(jobId, body, signingKey)))
    return 'its signature is missing or wrong'
  const { job, chain, state } = parsed(body)
  if (job !== jobId) return 'it is that of another job'
  if (chain !== pages.reduce(chainPage, noPages)) return 'its pages are not those that it was saved with'
  const checked = checkpointStateSchema.safeParse(state)
  if (checked.success) return { state: checked.data, pages }
  const issue = checked.error.issues[0]
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`
}

function parsed(body: string): { job?: unknown; chain?: unknown; state?: unknown } {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function signature(jobId: string, body: string, key: string | null): string {
  if (key === null) return ''
  return createHmac('sha256', key).update(`checkpoint\n${jobId}\n${body}`).digest('hex')
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
