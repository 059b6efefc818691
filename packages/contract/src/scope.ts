import type { JsonObject } from './json-value.ts'
import type { ParamSpec } from './param-spec.ts'

/** What placeholders may name. */
export interface Scope {
  /** Values as `checkParams` returned them. */
  readonly params: JsonObject
  /** Parameters whose values hold no placeholders, whatever they look like: those given by agents, HTTP or the dashboard. */
  readonly literal: ReadonlySet<string>
  readonly builtins: {
    readonly 'run.id': string
    /** ISO 8601 UTC; relative times in expanded values are relative to it. */
    readonly 'run.scheduled_at': string
    readonly 'window.start'?: string
    readonly 'window.end'?: string
  }
  /** The declarations: with them values are coerced and checked after their placeholders are filled. */
  readonly specs?: readonly ParamSpec[]
}
