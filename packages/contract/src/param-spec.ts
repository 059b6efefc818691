import type { Json } from './json-value.ts'

/** Parameters of a contract (SPEC section 3). */

export const paramTypes = ['str', 'int', 'float', 'bool', 'list', 'timestamp', 'duration'] as const
export type ParamType = (typeof paramTypes)[number]

/** One declared parameter, type aliases resolved. */
export interface ParamSpec {
  readonly name: string
  readonly type: ParamType
  /** Without a value the run is refused; a default counts as a value. */
  readonly required: boolean
  readonly default?: Json | undefined
  readonly description: string
  /** The only values allowed; for a list, the only elements. */
  readonly enum?: readonly Json[] | undefined
  /** Bounds, both included, of an int, float, timestamp or duration; written like a value of the type. */
  readonly min?: Json | undefined
  readonly max?: Json | undefined
}

/** What a value of the type looks like, for messages. */
export const paramForms: Readonly<Record<ParamType, string>> = {
  str: 'a text',
  int: 'a whole number such as 100',
  float: 'a number such as 2.5',
  bool: 'true or false (also t, f, yes, no, y, n, on, off, 1, 0)',
  list: 'a JSON array such as ["a", "b"]',
  timestamp: 'a time such as 2026-01-31T12:00:00Z, an epoch number, now or -7d',
  duration: 'a length of time such as 30s, 5m or 1h30m',
}
