import { type ErrorCode, type ErrorKind, errorCodes, kindOf } from './error-codes.ts'

/** Where it happened and what the person who must act needs to know. All fields are plain JSON. */
export interface ErrorContext {
  file?: string | undefined
  line?: number | undefined
  column?: number | undefined
  /** Path inside the file, for example `source_bindings.events.max_rows`. */
  path?: string | undefined
  table?: string | undefined
  server?: string | undefined
  tool?: string | undefined
  /** 1-based number of the page. */
  page?: number | undefined
  attempt?: number | undefined
  /** How long the source asked us to wait, in milliseconds. */
  retryAfterMs?: number | undefined
  /** What to do next, one sentence. */
  hint?: string | undefined
  /** All findings, when a file has several. */
  issues?: readonly ErrorIssue[] | undefined
}

/** One finding about an input file. */
export interface ErrorIssue {
  message: string
  code?: ErrorCode | undefined
  file?: string | undefined
  line?: number | undefined
  column?: number | undefined
  path?: string | undefined
}

/** A `RunError` as JSON: what `--json` prints under `error` and what a manifest holds. */
export interface ErrorDocument extends ErrorContext {
  code: ErrorCode
  kind: ErrorKind
  message: string
}

/**
 * The one error class. `message` says what happened with the wrong value and the valid values; `context` says where.
 * The code decides retries and the exit code, see `error-codes.ts`.
 */
export class RunError extends Error {
  override readonly name = 'RunError'
  readonly code: ErrorCode
  readonly context: ErrorContext

  constructor(code: ErrorCode, message: string, context: ErrorContext = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.context = context
  }

  get kind(): ErrorKind {
    return kindOf(this.code)
  }

  /** The same error with more context; fields that are already set win. */
  with(context: ErrorContext): RunError {
    return new RunError(this.code, this.message, { ...context, ...this.context }, this.cause)
  }

  toJSON(): ErrorDocument {
    return { code: this.code, kind: this.kind, message: this.message, ...this.context }
  }
}

/** Whatever was thrown, as a `RunError`; what we did not expect becomes `INTERNAL`. */
export function toRunError(thrown: unknown, context: ErrorContext = {}): RunError {
  if (thrown instanceof RunError) return Object.keys(context).length > 0 ? thrown.with(context) : thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new RunError(
    'INTERNAL',
    `unexpected: ${message}`,
    { hint: 'this is a bug in Huntfleet; please report it with the log', ...context },
    thrown,
  )
}

/** An error document read back from a job or a manifest. */
export function fromErrorDocument(document: ErrorDocument): RunError {
  const { code, kind: _, message, ...context } = document
  return new RunError(errorCodes.includes(code) ? code : 'INTERNAL', message, context)
}
