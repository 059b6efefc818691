import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { NotifyText } from './hunt-schema.ts'
import type { RunJob } from './jobs.ts'
import type { JsonObject } from './json-value.ts'
import type { ProjectText } from './project-schema.ts'

/** When a hunt runs: the part that stands in Redis, where all schedulers see the same. Durations in milliseconds. */
export const huntScheduleSchema = z.strictObject({
  /** Five or six fields. */
  cron: z.string(),
  timezone: z.string(),
  window: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('none') }),
    z.strictObject({ kind: z.literal('duration'), ms: z.int().positive() }),
    z.strictObject({ kind: z.literal('since_last_complete'), maxMs: z.int().positive() }),
  ]),
  lagMs: z.int().nonnegative(),
  overlap: z.enum(['skip', 'queue', 'replace', 'allow']),
  catchUp: z.enum(['none', 'last', 'all']),
  jitterMs: z.int().nonnegative(),
  enabled: z.boolean(),
})
export type HuntSchedule = z.infer<typeof huntScheduleSchema>

/** A hunt of a project file with nothing left open. */
export interface Hunt {
  readonly name: string
  readonly schedule: HuntSchedule
  /** What it runs stays in the project file: who can write to Redis must not choose it (SPEC section 16.1). */
  readonly strategy: string
  readonly params: JsonObject
  readonly require: RunJob['require']
  /** null: nobody is told. */
  readonly notify: NotifyText | null
  /** Hash of what it runs, so that a change of it can be shown. */
  readonly digest: string
}

const defaultMaxWindowMs = 86_400_000

/** The hunts of a project file, by name. */
export function huntsOf({ hunts }: Pick<ProjectText, 'hunts'>): Hunt[] {
  return Object.entries(hunts)
    .map(([name, text]): Hunt => {
      const { strategy, params, require, retention, freshness } = text
      const content = JSON.stringify({ strategy, params, require, retention, freshness })
      return {
        name,
        strategy,
        params,
        require,
        notify: text.notify ?? null,
        digest: createHash('sha256').update(content).digest('hex').slice(0, 12),
        schedule: {
          cron: text.cron,
          timezone: text.timezone,
          window: windowOf(text.window, text.max_window ?? defaultMaxWindowMs),
          lagMs: text.lag ?? 0,
          overlap: text.overlap,
          catchUp: text.catch_up,
          jitterMs: text.jitter ?? 0,
          enabled: text.enabled,
        },
      }
    })
    .sort((a, b) => a.name.localeCompare(b.name))
}

function windowOf(window: ProjectText['hunts'][string]['window'], maxMs: number): HuntSchedule['window'] {
  if (window === undefined) return { kind: 'none' }
  return typeof window === 'number'
    ? { kind: 'duration', ms: window }
    : { kind: 'since_last_complete', maxMs }
}
