import { RunError, redisTarget } from '@huntfleet/contract'
import type { Producer, RunRecord } from '@huntfleet/queue'
import type { Command } from 'commander'
import { type CommonOptions, positiveOption, withCommonOptions } from '../command-options.ts'
import { manifestOfRecord } from '../manifest-of-record.ts'
import { openProject, type ProjectContext } from '../project-context.ts'
import type { Shell } from '../shell.ts'
import { printRun } from '../terminal/run-summary.ts'
import { textTable } from '../terminal/text-table.ts'

interface ListOptions extends CommonOptions {
  limit?: string
}

/** `huntfleet runs list|show|cancel`. */
export function addRunsCommand(program: Command, shell: Shell): void {
  const runs = program.command('runs').description('what the fleet has run and is running')
  withCommonOptions(runs.command('list'))
    .description('the latest runs, newest first')
    .option('--limit <n>', 'how many', '20')
    .action(async (options: ListOptions) => {
      await withProducer(options, shell, async (producer, { output }) => {
        const list = await producer.listRuns({ limit: positiveOption('limit', options.limit) ?? 20 })
        if (options.json === true)
          output.printJson({
            runs: list.map((run) => ({
              run_id: run.runId,
              strategy: run.strategy,
              hunt: run.hunt,
              status: run.status,
              scheduled_at: run.scheduledAt,
              started_at: run.startedAt,
              finished_at: run.finishedAt,
              manifest: run.manifestKey,
            })),
          })
        else
          output.print(
            textTable(
              ['run', 'strategy', 'status', 'scheduled', 'finished'],
              list.map((run) => [run.runId, run.strategy, run.status, run.scheduledAt, run.finishedAt ?? '']),
            ),
          )
      })
    })
  withCommonOptions(runs.command('show <run>'))
    .description('one run with its tables')
    .action(async (runId: string, options: CommonOptions) => {
      await withProducer(options, shell, async (producer, { output }) => {
        const record = await knownRun(producer, runId)
        if (options.json === true) output.printJson(manifestOfRecord(record))
        else {
          printRun(output, manifestOfRecord(record), record.manifestKey)
          if (record.error !== null) output.print(`error: ${record.error.message}`)
          const open = Object.entries(record.tables).filter(([, state]) => state.entry === null)
          for (const [table, state] of open)
            output.print(`${table}: under way, ${Number(state.progress?.['rows'] ?? 0)} rows so far`)
        }
      })
    })
  withCommonOptions(runs.command('cancel <run>'))
    .description('end a run; rows that its tables have so far are kept')
    .action(async (runId: string, options: CommonOptions) => {
      await withProducer(options, shell, async (producer, { output }) => {
        const before = await knownRun(producer, runId)
        if (before.finishedAt !== null)
          throw new RunError('USAGE_INVALID', `run ${runId} has ended already: ${before.status}`)
        const record = await producer.cancelRun(runId)
        if (options.json === true)
          output.printJson({ run_id: runId, status: record.status, cancelling: true })
        else output.print(`run ${runId} is being cancelled`)
      })
    })
}

async function withProducer(
  options: CommonOptions,
  shell: Shell,
  work: (producer: Producer, context: ProjectContext) => Promise<void>,
): Promise<void> {
  const context = await openProject(options, shell)
  const { openProducer } = await import('@huntfleet/queue')
  const producer = await openProducer({ redis: redisTarget(context.project, process.env, context.masker) })
  try {
    await work(producer, context)
  } finally {
    await producer.close()
  }
}

async function knownRun(producer: Producer, runId: string): Promise<RunRecord> {
  const record = await producer.getRun(runId)
  if (record !== null) return record
  const latest = (await producer.listRuns({ limit: 3 })).map((run) => run.runId)
  throw new RunError(
    'RUN_NOT_FOUND',
    `there is no run ${JSON.stringify(runId)}; the latest are ${latest.join(', ') || 'none'}`,
    {
      hint: 'see huntfleet runs list; records are kept for 30 days, manifests as long as the storage keeps them',
    },
  )
}
