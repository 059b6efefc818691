import { parseDuration, RunError, runWindowOf, slotRunId, storageTarget } from '@huntfleet/contract'
import type { BackfillSlot, Producer } from '@huntfleet/queue'
import type { Command } from 'commander'
import { type CommonOptions, positiveOption, withCommonOptions } from '../command-options.ts'
import { watchInterruption } from '../interruption.ts'
import { knownHunt } from '../known-hunt.ts'
import type { ProjectContext } from '../project-context.ts'
import type { Shell } from '../shell.ts'
import { timeOption } from '../time-option.ts'
import { withProducer } from '../with-producer.ts'

interface BackfillOptions extends CommonOptions {
  from: string
  to: string
  step?: string
  concurrency?: string
}

/** A slot and what became of it. */
interface FilledSlot {
  slot: string
  run_id: string | null
  status: string
  /** Whether it had its run before. */
  known: boolean
}

/** Behind every run of a schedule. */
const backfillPriority = 100

/** `huntfleet backfill`: runs a hunt for slots of the past. */
export function addBackfillCommand(program: Command, shell: Shell): void {
  withCommonOptions(program.command('backfill <hunt>'))
    .description(
      'run a hunt for the past, one run per slot; slots that have a run are left alone, so it can be repeated',
    )
    .requiredOption('--from <time>', 'start of the windows to fetch, for example 2026-11-01 or -7d')
    .option('--to <time>', 'their end', 'now')
    .option('--step <duration>', 'a slot every so often; the fire times of the hunt by default')
    .option('--concurrency <n>', 'runs at the same time', '1')
    .action(async (name: string, options: BackfillOptions) => {
      await withProducer(options, shell, async (producer, context) => {
        const hunt = knownHunt(context, name)
        const { backfillSlots, listSchedule } = await import('@huntfleet/queue')
        const scheduled = (await listSchedule(producer.fleet)).find((one) => one.name === name)
        if (scheduled === undefined)
          throw new RunError('HUNT_NOT_FOUND', `hunt ${name} is not scheduled`, {
            hint: 'run huntfleet schedule apply first',
          })
        const { from, to, stepMs } = rangeOf(options)
        // What is not due yet is the schedule's own business.
        const due = backfillSlots(hunt.schedule, from, to, stepMs).filter(({ slot }) => slot <= Date.now())
        const filled = await fill(
          producer,
          context,
          name,
          due,
          positiveOption('concurrency', options.concurrency) ?? 1,
        )
        const incomplete = filled.filter(({ status }) => status !== 'complete').length
        if (options.json === true) context.output.printJson({ hunt: name, slots: filled })
        else
          context.output.print(
            `${filled.length} slots, ${filled.length - incomplete} complete, ${incomplete} not`,
          )
        shell.exit(incomplete === 0 ? 0 : 5)
      })
    })
}

function rangeOf(options: BackfillOptions) {
  const now = new Date()
  const from = timeOption('from', options.from, now)
  const to = timeOption('to', options.to, now)
  if (from >= to)
    throw new RunError(
      'USAGE_INVALID',
      `the range is empty: --from ${options.from} is not before --to ${options.to}`,
    )
  const stepMs = options.step === undefined ? null : (parseDuration(options.step) ?? 0)
  if (stepMs !== null && stepMs < 1_000)
    throw new RunError(
      'USAGE_INVALID',
      `--step ${JSON.stringify(options.step)} is not a duration of a second or more`,
      {
        hint: 'write 15m, 1h or 1d',
      },
    )
  return { from, to, stepMs }
}

/** Runs the slots, oldest first, so many at a time; after an interruption none is begun any more. */
async function fill(
  producer: Producer,
  context: ProjectContext,
  name: string,
  slots: readonly BackfillSlot[],
  concurrency: number,
): Promise<FilledSlot[]> {
  const interruption = watchInterruption()
  const filled = new Map<number, FilledSlot>()
  const waiting = [...slots]
  const work = async (): Promise<void> => {
    for (let slot = waiting.shift(); slot !== undefined; slot = waiting.shift()) {
      const done = await fillSlot(producer, context, name, slot, interruption.signal)
      filled.set(slot.slot, done)
      context.output.note(`${done.slot} ${done.status}${done.known ? ' (had its run)' : ''}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: concurrency }, work))
  } finally {
    waiting.length = 0
    interruption.stop()
  }
  return slots.flatMap(({ slot }) => filled.get(slot) ?? [])
}

async function fillSlot(
  producer: Producer,
  { project, vocabulary, masker, overlay }: ProjectContext,
  name: string,
  slot: BackfillSlot,
  signal: AbortSignal,
): Promise<FilledSlot> {
  const { claimBackfillSlot, settleBackfillSlot } = await import('@huntfleet/queue')
  const { huntRunJob } = await import('@huntfleet/worker')
  const hunt = knownHunt({ project }, name)
  const scheduledAt = new Date(slot.slot).toISOString()
  const storage = storageTarget(project, process.env, masker)
  const window = runWindowOf(slot.window)
  const wanted = { runId: slotRunId(name, new Date(slot.slot)), scheduledAt, window }
  const options = { project, vocabulary, env: process.env, masker, storage, overlay }
  signal.throwIfAborted()
  // Before the slot is taken: a strategy that cannot be read must not use it up.
  const job = await huntRunJob(hunt, wanted, options)
  const claim = await claimBackfillSlot(producer.fleet, name, slot)
  const runId = claim.is === 'claimed' ? claim.runId : claim.entry.runId
  if (claim.is === 'claimed') await producer.enqueueRun(job, { priority: backfillPriority })
  if (runId === null) return { slot: scheduledAt, run_id: null, status: 'waiting', known: true }
  const { status } = await producer.waitForRun(runId, signal)
  if (claim.is === 'claimed') await settleBackfillSlot(producer.fleet, name, slot, runId)
  return { slot: scheduledAt, run_id: runId, status, known: claim.is === 'taken' }
}
