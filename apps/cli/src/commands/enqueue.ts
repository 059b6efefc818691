import {
  exitCodeOfRun,
  hasFile,
  type Manifest,
  payloadVersion,
  RunError,
  readSecret,
  redisTarget,
  toBundle,
} from '@huntfleet/contract'
import type { RunRecord } from '@huntfleet/queue'
import { openStore, readManifest } from '@huntfleet/storage'
import type { Command } from 'commander'
import { givenParams, positiveOption, type RunOptions, withRunOptions } from '../command-options.ts'
import { watchInterruption } from '../interruption.ts'
import { manifestOfRecord } from '../manifest-of-record.ts'
import { type PreparedRun, prepareRun } from '../prepare-run.ts'
import type { Shell } from '../shell.ts'
import { createProgressView } from '../terminal/progress.ts'
import { printRun } from '../terminal/run-summary.ts'

interface EnqueueOptions extends RunOptions {
  wait?: boolean
}

/** `huntfleet enqueue`: hands a run to the fleet. */
export function addEnqueueCommand(program: Command, shell: Shell): void {
  withRunOptions(program.command('enqueue <strategy>'))
    .description('hand a run to the fleet; prints its id')
    .option('--wait', 'wait until it has ended and print its manifest')
    .action(async (name: string, options: EnqueueOptions) => {
      const prepared = await prepareRun(name, options, shell)
      const { context, compiled, runId } = prepared
      const { project, masker, output } = context
      const signing = project.text.queue.signing_key
      const { openProducer } = await import('@huntfleet/queue')
      const signingKey =
        signing === undefined
          ? null
          : await readSecret('queue.signing_key', signing, { env: process.env, folder: project.folder })
      masker.add('queue.signing_key', signingKey ?? '')
      const producer = await openProducer({
        redis: redisTarget(project, process.env, masker),
        signingKey,
      })
      try {
        const servers = [...new Set(compiled.specs.map((spec) => spec.server))]
        for (const server of await producer.unservedServers(servers)) {
          output.warn({
            message: `no live worker serves ${server}; the run waits until one is started with that server in its huntfleet.yaml`,
          })
        }
        await producer.enqueueRun(await runJob(prepared, options))
        if (options.wait !== true) {
          if (options.json === true)
            output.printJson({ run_id: runId, strategy: prepared.strategy.contract.name, status: 'queued' })
          else output.print(runId)
          return
        }
        output.note(`run ${runId} is queued`)
        const interruption = watchInterruption()
        const progress = createProgressView(process.stderr, (text) => masker.mask(text))
        const record = await producer.waitForRun(runId, interruption.signal, {
          onProgress: (now) => show(progress, now),
        })
        progress.close()
        interruption.stop()
        const manifest = await manifestOf(prepared, record)
        if (options.json === true) output.printJson(manifest)
        else printRun(output, manifest, record.manifestKey)
        shell.exit(exitCodeOfRun(manifest))
      } finally {
        await producer.close()
      }
    })
}

async function runJob(
  { context, strategy, runId, scheduledAt, window, storage }: PreparedRun,
  options: RunOptions,
) {
  return {
    v: payloadVersion,
    runId,
    hunt: null,
    bundle: toBundle(strategy.source),
    params: await givenParams(options),
    scheduledAt: scheduledAt.toISOString(),
    window,
    storage: { ...storage, url: context.masker.mask(storage.url) },
    tables: options.table.length > 0 ? options.table : null,
    maxRows: positiveOption('max-rows', options.maxRows),
    require: 'any',
  } as const
}

/** What the tables are doing, out of the record. */
function show(progress: ReturnType<typeof createProgressView>, record: RunRecord): void {
  for (const [table, state] of Object.entries(record.tables)) {
    const number = (field: string) => Number(state.progress?.[field] ?? 0)
    if (state.entry !== null) {
      const rows = hasFile(state.entry.outcome) ? `${state.entry.rows} rows; ` : ''
      if (record.finishedAt !== null)
        progress.end(table, `${state.entry.outcome}: ${rows}${state.entry.reason}`)
    } else if (state.progress !== null) {
      progress.update({
        table,
        rows: number('rows'),
        pages: number('pages'),
        calls: number('calls'),
        retries: number('retries'),
        doing: '',
      })
    }
  }
}

/** The published manifest; for a run without one, what its record knows. */
async function manifestOf({ storage, strategy, runId }: PreparedRun, record: RunRecord): Promise<Manifest> {
  if (record.manifestKey === null) {
    if (Object.values(record.tables).some((table) => table.entry !== null)) return manifestOfRecord(record)
    throw new RunError(
      record.error?.code ?? 'INTERNAL',
      record.error?.message ?? `run ${runId} ended as ${record.status} without a manifest`,
      record.error ?? {},
    )
  }
  const store = await openStore(storage)
  try {
    return (await readManifest(store, strategy.contract.name, runId)) ?? manifestOfRecord(record)
  } finally {
    await store.close()
  }
}
