import type { RunError } from '@huntfleet/contract'

/** A tool's answer that stays in the thread which decoded it: what its caller must know of it. */
export interface HeldAnswer {
  /** Names the answer to who holds it. */
  handle: number
  isError: boolean
  /** URIs of the resources that it links to. */
  links: readonly string[]
  /** Why it is no answer of a tool; null: it is one. */
  error: RunError | null
}
