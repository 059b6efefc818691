import { z } from 'zod'
import { parseCron } from './cron.ts'
import { parseDuration } from './duration.ts'
import { durationText } from './duration-text.ts'
import { firesBetween } from './fire-times.ts'
import { jsonObjectSchema } from './json-value.ts'
import { secretSchema } from './secret.ts'
import { isTimeZone, nearTimeZone } from './time-zone.ts'

/** A schedule under `hunts:` of the project file (SPEC section 11). */

const cronText = z
  .string({ error: 'is not a cron pattern; write it in quotes, such as "0 * * * *"' })
  .transform((text, context) => {
    const parsed = parseCron(text)
    if (parsed.ok) return parsed.cron
    context.addIssue({ code: 'custom', message: `${parsed.reason}${suggestion(parsed.meant)}` })
    return z.NEVER
  })

/** The pattern that may have been meant with the next times it would fire, so that a look tells whether it was. */
function suggestion(meant: string): string {
  const fires = firesBetween({ cron: meant, timezone: 'UTC' }, Date.now(), Number.POSITIVE_INFINITY, 3)
  const times = fires.map((at) => new Date(at).toISOString().replace('.000Z', 'Z'))
  return `; did you mean ${JSON.stringify(meant)}? In UTC it would next fire at ${times.join(', ')}`
}

const timezoneText = z
  .string({ error: 'is not a time zone; write an IANA name, such as UTC or Europe/Berlin' })
  .superRefine((text, context) => {
    if (isTimeZone(text)) return
    const near = nearTimeZone(text)
    const question = near === undefined ? '' : `; did you mean ${near}?`
    context.addIssue({
      code: 'custom',
      message: `is not a time zone; write an IANA name, such as UTC or Europe/Berlin${question}`,
    })
  })

const windowForms = 'a duration such as 1h, or since_last_complete'
const windowText = z.string({ error: `is not ${windowForms}` }).transform((text, context) => {
  if (text === 'since_last_complete') return text
  const ms = parseDuration(text)
  if (ms !== undefined && ms > 0) return ms
  context.addIssue({ code: 'custom', message: `is not ${windowForms}` })
  return z.NEVER
})

const notifySchema = z.strictObject({
  url: z
    .union([z.string().min(1), secretSchema])
    .describe('Where a POST with the run’s status and reasons goes; https, or http on loopback'),
  headers: z
    .record(z.string(), z.union([z.string(), secretSchema]))
    .default({})
    .describe('Headers of the POST'),
  on: z
    .array(z.enum(['complete', 'partial', 'pending', 'failed', 'cancelled', 'lost', 'skipped']))
    .min(1)
    .default(['partial', 'failed', 'lost'])
    .describe('What it is told: ends of runs, slots that were skipped or failed before they had a run'),
})
export type NotifyText = z.infer<typeof notifySchema>

export const huntSchema = z.strictObject({
  strategy: z.string().min(1).describe('Name of a strategy, or path of its folder'),
  cron: cronText.describe(
    'When: 5 fields, 6 with seconds first, or @hourly, @daily, @weekly, @monthly, @yearly',
  ),
  timezone: timezoneText.describe('IANA name of the zone whose wall clock the pattern speaks of'),
  params: jsonObjectSchema.default({}).describe('Parameters of the strategy'),
  window: windowText
    .optional()
    .describe('What window.start and window.end are: a duration up to the slot, or since_last_complete'),
  lag: durationText.optional().describe('Shifts both ends of the window back, for events that come late'),
  max_window: durationText
    .optional()
    .describe('since_last_complete: how far back windows are fetched again; 1d by default'),
  overlap: z
    .enum(['skip', 'queue', 'replace', 'allow'])
    .default('skip')
    .describe('What happens to a slot while the run before is still going on'),
  catch_up: z
    .enum(['none', 'last', 'all'])
    .default('last')
    .describe('Which of the slots that were missed are run afterwards'),
  jitter: durationText.optional().describe('Runs start up to so much later, each hunt at its own moment'),
  enabled: z.boolean().default(true).describe('false: not scheduled, and no slots are recorded'),
  require: z
    .enum(['any', 'complete', 'proven'])
    .default('any')
    .describe('complete: a table that is not complete fails the run; proven: nor may it be unpaged'),
  freshness: durationText
    .optional()
    .describe(
      'Tables that another run fetched at most so long ago, in exactly the same way, are not fetched again',
    ),
  retention: durationText.optional().describe('How long the files of its runs are wanted, for gc'),
  notify: notifySchema.optional().describe('A webhook that is told how its runs end'),
})
