import { type ErrorCode, type ErrorContext, RunError } from '@huntfleet/contract'

/** Something thrown on its way between threads: structured cloning keeps of an error little more than its message. */
export interface Thrown {
  /** null: it was no `RunError`. */
  code: ErrorCode | null
  name: string
  message: string
  context: ErrorContext
  stack: string | undefined
  cause: Thrown | undefined
}

/** Causes of causes that are kept; nobody reads further, and a chain may end in itself. */
const longestChain = 8

export function packThrown(thrown: unknown, left = longestChain): Thrown {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const cause = error.cause === undefined || left === 0 ? undefined : packThrown(error.cause, left - 1)
  const { name, message, stack } = error
  const [code, context] = error instanceof RunError ? [error.code, error.context] : [null, {}]
  return { code, name, message, context, stack, cause }
}

/** The error as it was thrown, with the stack of the thread that threw it. */
export function unpackThrown(packed: Thrown): Error {
  const { code, name, message, context, stack } = packed
  const cause = packed.cause && unpackThrown(packed.cause)
  const error = code === null ? namedError(name, message, cause) : new RunError(code, message, context, cause)
  if (stack !== undefined) error.stack = stack
  return error
}

function namedError(name: string, message: string, cause: Error | undefined): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause })
  error.name = name
  return error
}

/** A `RunError` that crossed as part of a result. */
export function unpackRunError(packed: Thrown): RunError {
  const error = unpackThrown(packed)
  return error instanceof RunError ? error : new RunError('INTERNAL', error.message, {}, error)
}
