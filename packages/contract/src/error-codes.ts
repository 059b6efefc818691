/**
 * The closed table of everything that can go wrong. Code → kind, and the kind says who retries (SPEC section 7).
 * Every code has a section of its own in `docs/errors.md`; a test holds the two together.
 */

/** What kind of failure it is: decides retries and the exit code. */
export type ErrorKind =
  | 'config'
  | 'transient'
  | 'denied'
  | 'data'
  | 'tool'
  | 'budget'
  | 'sink'
  | 'cancelled'
  | 'bug'

/** Per kind: is the page tried again, is the table job tried again, and the exit code of the command line. */
export const errorKinds: Readonly<
  Record<ErrorKind, { pageRetry: boolean; jobRetry: boolean; exit: number }>
> = {
  config: { pageRetry: false, jobRetry: false, exit: 2 },
  transient: { pageRetry: true, jobRetry: true, exit: 3 },
  denied: { pageRetry: false, jobRetry: false, exit: 3 },
  data: { pageRetry: false, jobRetry: false, exit: 4 },
  tool: { pageRetry: false, jobRetry: false, exit: 3 },
  budget: { pageRetry: false, jobRetry: false, exit: 5 },
  // The storage SDK has retried by itself; a code below may allow another attempt of the job.
  sink: { pageRetry: false, jobRetry: false, exit: 6 },
  cancelled: { pageRetry: false, jobRetry: false, exit: 130 },
  bug: { pageRetry: false, jobRetry: false, exit: 70 },
}

interface CodeEntry {
  kind: ErrorKind
  /** Overrides the kind's verdict on job retries. */
  jobRetry?: boolean
}

const table = {
  // config: the author of a YAML file or of the command line must act
  USAGE_INVALID: { kind: 'config' },
  PROJECT_INVALID: { kind: 'config' },
  CONTRACT_INVALID: { kind: 'config' },
  BINDING_INVALID: { kind: 'config' },
  STRATEGY_NOT_FOUND: { kind: 'config' },
  PARAM_INVALID: { kind: 'config' },
  PLACEHOLDER_UNRESOLVED: { kind: 'config' },
  TABLE_UNBOUND: { kind: 'config' },
  SERVER_UNKNOWN: { kind: 'config' },
  SERVER_START_FAILED: { kind: 'config' },
  SERVER_REFUSED: { kind: 'config' },
  CREDENTIAL_REFUSED: { kind: 'config' },
  SECRET_UNSET: { kind: 'config' },
  TOOL_UNKNOWN: { kind: 'config' },
  TOOL_REFUSED: { kind: 'config' },
  ARGUMENT_INVALID: { kind: 'config' },
  RUN_NOT_FOUND: { kind: 'config' },
  HUNT_NOT_FOUND: { kind: 'config' },
  PAYLOAD_INVALID: { kind: 'config' },
  // transient: the source is unwell; the same call may work later
  SOURCE_UNREACHABLE: { kind: 'transient' },
  SOURCE_TIMEOUT: { kind: 'transient' },
  SOURCE_ERROR: { kind: 'transient' },
  SOURCE_RATE_LIMITED: { kind: 'transient' },
  SESSION_LOST: { kind: 'transient' },
  SERVER_EXITED: { kind: 'transient' },
  QUEUE_UNREACHABLE: { kind: 'transient' },
  RUN_LOST: { kind: 'transient' },
  // denied: someone must grant something
  SOURCE_DENIED: { kind: 'denied' },
  // data: an answer came and is not what the binding says
  ANSWER_INVALID: { kind: 'data' },
  ANSWER_TOO_LARGE: { kind: 'data' },
  PARSE_FAILED: { kind: 'data' },
  ITEMS_NOT_FOUND: { kind: 'data' },
  ROW_REJECTED: { kind: 'data' },
  ANSWER_TRUNCATED: { kind: 'data' },
  CURSOR_EXPIRED: { kind: 'data' },
  TABLE_INCOMPLETE: { kind: 'data' },
  // tool: the tool's own words
  TOOL_FAILED: { kind: 'tool' },
  // budget
  BUDGET_SPENT: { kind: 'budget' },
  // sink
  SINK_UNREACHABLE: { kind: 'sink', jobRetry: true },
  SINK_DENIED: { kind: 'sink' },
  SINK_INVALID: { kind: 'sink' },
  PUBLISH_EXPIRED: { kind: 'sink' },
  PIECE_LOST: { kind: 'sink', jobRetry: true },
  // cancelled: nobody needs to act
  CANCELLED: { kind: 'cancelled' },
  SHUTDOWN: { kind: 'cancelled' },
  LOCK_LOST: { kind: 'cancelled' },
  // bug: we must act
  INTERNAL: { kind: 'bug' },
} as const satisfies Record<string, CodeEntry>

/** Every code, in the order of the table. */
export type ErrorCode = keyof typeof table
export const errorCodes = Object.keys(table) as readonly ErrorCode[]

/** The kind of a code. */
export function kindOf(code: ErrorCode): ErrorKind {
  return table[code].kind
}

/** Whether a page that failed with this code is called again. */
export function retriesPage(code: ErrorCode): boolean {
  return errorKinds[kindOf(code)].pageRetry
}

/** Whether a table job that failed with this code before any page is tried again. */
export function retriesJob(code: ErrorCode): boolean {
  const entry: CodeEntry = table[code]
  return entry.jobRetry ?? errorKinds[entry.kind].jobRetry
}

/** Every kind. */
export const errorKindNames = Object.keys(errorKinds) as readonly ErrorKind[]

/** The exit code of `huntfleet` for a failure with this code (SPEC section 14). */
export function exitCodeOf(code: ErrorCode): number {
  return errorKinds[kindOf(code)].exit
}
