import { huntsOf, zonedTime } from '@huntfleet/contract'
import type { ScheduleChanges, ScheduledHunt, SlotLine } from '@huntfleet/queue'
import type { Command } from 'commander'
import { type CommonOptions, positiveOption, withCommonOptions } from '../command-options.ts'
import type { Shell } from '../shell.ts'
import type { Output } from '../terminal/output.ts'
import { textTable } from '../terminal/text-table.ts'
import { withProducer } from '../with-producer.ts'
import { addSchedulePreview } from './schedule-preview.ts'

interface ApplyOptions extends CommonOptions {
  dryRun?: boolean
}
interface HistoryOptions extends CommonOptions {
  limit?: string
}

/** `huntfleet schedule preview|apply|list|pause|resume|trigger|history`. */
export function addScheduleCommand(program: Command, shell: Shell): void {
  const schedule = program
    .command('schedule')
    .description('hunts that run by themselves, and what became of their slots')
  addSchedulePreview(schedule, shell)
  withCommonOptions(schedule.command('apply'))
    .description('make the schedules in Redis equal to `hunts` of the project file')
    .option('--dry-run', 'only say what would change')
    .action(async (options: ApplyOptions) => {
      await withProducer(options, shell, async ({ fleet }, { project, output }) => {
        const { applySchedule } = await import('@huntfleet/queue')
        const dryRun = options.dryRun === true
        const changes = await applySchedule(fleet, huntsOf(project.text), { dryRun })
        if (options.json === true) output.printJson({ dry_run: dryRun, ...changes })
        else printChanges(output, changes, dryRun)
      })
    })
  withCommonOptions(schedule.command('list'))
    .description('the hunts that are scheduled, with their next and their last slot')
    .action(async (options: CommonOptions) => {
      await withProducer(options, shell, async ({ fleet }, { output }) => {
        const { huntDocument, listSchedule } = await import('@huntfleet/queue')
        const hunts = await listSchedule(fleet)
        if (options.json === true) output.printJson({ hunts: hunts.map(huntDocument) })
        else
          output.print(
            textTable(
              ['hunt', 'strategy', 'cron', 'state', 'next', 'last slot', 'status'],
              hunts.map(huntRow),
            ),
          )
      })
    })
  for (const action of ['pause', 'resume'] as const) {
    withCommonOptions(schedule.command(`${action} <hunt>`))
      .description(
        action === 'pause'
          ? 'skip the slots of a hunt from now on; the ledger says so'
          : 'run the slots of a paused hunt again',
      )
      .action(async (name: string, options: CommonOptions) => {
        await withProducer(options, shell, async ({ fleet }, { output }) => {
          const { pauseHunt } = await import('@huntfleet/queue')
          const paused = action === 'pause'
          const changed = await pauseHunt(fleet, name, paused)
          if (options.json === true) output.printJson({ hunt: name, paused, changed })
          else output.print(`hunt ${name} ${changed ? 'is' : 'was already'} ${paused ? 'paused' : 'running'}`)
        })
      })
  }
  withCommonOptions(schedule.command('trigger <hunt>'))
    .description('run a hunt now, as a slot of its own')
    .action(async (name: string, options: CommonOptions) => {
      await withProducer(options, shell, async ({ fleet }, { output }) => {
        const { triggerHunt } = await import('@huntfleet/queue')
        const slot = await triggerHunt(fleet, name, Date.now())
        const { slotRunId } = await import('@huntfleet/contract')
        const runId = slot === null ? null : slotRunId(name, new Date(slot))
        if (options.json === true) output.printJson({ hunt: name, run_id: runId })
        else output.print(runId ?? `hunt ${name} was triggered at this moment already`)
      })
    })
  withCommonOptions(schedule.command('history <hunt>'))
    .description('what became of the slots of a hunt, oldest first')
    .option('--limit <n>', 'how many of the newest', '50')
    .action(async (name: string, options: HistoryOptions) => {
      await withProducer(options, shell, async ({ fleet }, { output }) => {
        const { slotDocument, slotHistory } = await import('@huntfleet/queue')
        const lines = await slotHistory(fleet, name, positiveOption('limit', options.limit) ?? 50)
        if (options.json === true) output.printJson({ slots: lines.map(slotDocument) })
        else output.print(textTable(['slot', 'status', 'outcome', 'run', 'reason'], lines.map(slotRow)))
      })
    })
}

function printChanges(output: Output, changes: ScheduleChanges, dryRun: boolean): void {
  for (const name of changes.added) output.print(`added      ${name}`)
  for (const { hunt, fields } of changes.changed) output.print(`changed    ${hunt}: ${fields.join(', ')}`)
  for (const name of changes.removed) output.print(`removed    ${name}`)
  for (const name of changes.unchanged) output.print(`unchanged  ${name}`)
  const { added, changed, removed, unchanged } = changes
  if (added.length + changed.length + removed.length + unchanged.length === 0)
    output.print('there are no hunts')
  if (dryRun) output.note('nothing was changed (--dry-run)')
}

function huntRow({ name, state, next, last }: ScheduledHunt): string[] {
  const { cron, timezone, enabled } = state.schedule
  const words = enabled ? (state.paused ? 'paused' : 'enabled') : 'not enabled'
  const times = [next === null ? '' : zonedTime(next, timezone), last?.slot ?? '']
  return [name, state.strategy, `${cron} ${timezone}`, words, ...times, last?.outcome ?? last?.status ?? '']
}

function slotRow({ slot, status, reason, runId, outcome }: SlotLine): string[] {
  return [slot, status, outcome ?? '', runId ?? '', reason ?? '']
}
