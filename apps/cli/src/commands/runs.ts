import { RunError } from '@huntfleet/contract'
import type { Producer, RunRecord } from '@huntfleet/queue'
import { type Command, Option } from 'commander'
import { type CommonOptions, deadlineOption, positiveOption, withCommonOptions } from '../command-options.ts'
import { followRun } from '../follow-run.ts'
import { manifestOfRecord } from '../manifest-of-record.ts'
import { restoreRecord } from '../restore-record.ts'
import type { Shell } from '../shell.ts'
import type { Output } from '../terminal/output.ts'
import { printRun } from '../terminal/run-summary.ts'
import { textTable } from '../terminal/text-table.ts'
import { withProducer } from '../with-producer.ts'

interface ListOptions extends CommonOptions {
  limit?: string
}

interface ShowOptions extends CommonOptions {
  follow?: boolean
}

interface RetryOptions extends CommonOptions {
  table: string[]
  deadline?: string
}

/** `huntfleet runs list|show|cancel|retry`. */
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
              retry: run.retry,
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
    .option('--follow', 'go on until it has ended; with --json a line of JSON per change')
    .action(async (runId: string, options: ShowOptions) => {
      await withProducer(options, shell, async (producer, { output, masker }) => {
        const known = await knownRun(producer, runId)
        if (options.follow !== true) return showRun(known, output, options.json === true)
        const isJson = options.json === true
        const mask = (text: string) => masker.mask(text)
        const { record, exitCode } = await followRun(producer, runId, output, isJson, mask)
        if (!isJson) showRun(record, output, false)
        shell.exit(exitCode)
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
  withCommonOptions(runs.command('retry <run>'))
    .description('fetch the tables of a run again that failed or are incomplete; the others stay as they are')
    .addOption(
      new Option('--table <name>', 'only this table; repeatable')
        .argParser((value: string, before: string[]) => [...before, value])
        .default([], 'all that are not whole'),
    )
    .option('--deadline <duration>', 'how long from now the run ends at the latest; as before without it')
    .action(async (runId: string, options: RetryOptions) => {
      await withProducer(options, shell, async (producer, context) => {
        const { output } = context
        const isThere = (await producer.getRun(runId)) !== null
        if (!isThere && !(await restoreRecord(producer, runId, context))) await knownRun(producer, runId)
        const asked = { tables: options.table, ...deadlineOption(options.deadline) }
        const { retry, tables } = await producer.retryRun(runId, asked)
        if (options.json === true) output.printJson({ run_id: runId, retry, tables, status: 'queued' })
        else output.print(`run ${runId} is queued again: ${tables.join(', ') || 'all tables'}`)
      })
    })
}

function showRun(record: RunRecord, output: Output, json: boolean): void {
  if (json) {
    output.printJson(manifestOfRecord(record))
    return
  }
  printRun(output, manifestOfRecord(record), record.manifestKey)
  if (record.error !== null) output.print(`error: ${record.error.message}`)
  if (record.retry > 1) output.print(`this is execution ${record.retry} of the run`)
  const open = Object.entries(record.tables).filter(([, state]) => state.entry === null)
  for (const [table, state] of open)
    output.print(`${table}: under way, ${Number(state.progress?.['rows'] ?? 0)} rows so far`)
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
