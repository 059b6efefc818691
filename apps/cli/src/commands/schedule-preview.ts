import {
  firesBetween,
  formatDuration,
  type Hunt,
  runWindowOf,
  windowOfSlot,
  zonedTime,
} from '@huntfleet/contract'
import type { Command } from 'commander'
import { type CommonOptions, positiveOption, withCommonOptions } from '../command-options.ts'
import { knownHunt } from '../known-hunt.ts'
import { openProject } from '../project-context.ts'
import type { Shell } from '../shell.ts'
import { textTable } from '../terminal/text-table.ts'
import { timeOption } from '../time-option.ts'

interface PreviewOptions extends CommonOptions {
  count?: string
  from: string
}

/** `huntfleet schedule preview`: when a hunt will fire; needs no Redis. */
export function addSchedulePreview(schedule: Command, shell: Shell): void {
  withCommonOptions(schedule.command('preview <hunt>'))
    .description('the next fire times of a hunt, in its zone and in UTC, with their windows')
    .option('--count <n>', 'how many', '10')
    .option('--from <time>', 'fire times after this time, for example 2026-10-24 or +30d', 'now')
    .action(async (name: string, options: PreviewOptions) => {
      const context = await openProject(options, shell)
      const hunt = knownHunt(context, name)
      const from = timeOption('from', options.from, new Date())
      const fires = firesOf(hunt, from, positiveOption('count', options.count) ?? 10)
      const { cron, timezone, enabled } = hunt.schedule
      if (options.json === true) {
        context.output.printJson({ hunt: name, cron, timezone, enabled, fires })
        return
      }
      const hasWindow = hunt.schedule.window.kind !== 'none'
      context.output.print(
        textTable(
          [
            timezone === 'UTC' ? 'UTC' : timezone,
            'UTC',
            'after',
            ...(hasWindow ? ['window start', 'window end'] : []),
          ],
          fires.map(({ local, at, after, window }) => [
            local,
            at,
            after ?? '',
            ...(hasWindow ? [window.start ?? '', window.end ?? ''] : []),
          ]),
        ),
      )
      if (!enabled) context.output.note(`hunt ${name} is not enabled`)
    })
}

/** Fire times as people and machines read them; `after` is the distance to the one before. */
function firesOf({ schedule }: Hunt, from: number, count: number) {
  const fires = firesBetween(schedule, from, Number.POSITIVE_INFINITY, count)
  let previousEnd: number | null = null
  return fires.map((at, index) => {
    const window = windowOfSlot(schedule, at, previousEnd) ?? { start: null, end: null }
    previousEnd = window.end
    const before = fires[index - 1]
    return {
      at: new Date(at).toISOString(),
      local: zonedTime(at, schedule.timezone),
      after: before === undefined ? null : formatDuration(at - before),
      window: runWindowOf(window),
    }
  })
}
