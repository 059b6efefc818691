import {
  exitCodeOfRun,
  type Manifest,
  payloadVersion,
  RunError,
  runLimitsOf,
  toBundle,
} from '@huntfleet/contract'
import type { RunRecord } from '@huntfleet/queue'
import { openStore, readManifest } from '@huntfleet/storage'
import type { Command } from 'commander'
import {
  deadlineOption,
  givenParams,
  positiveOption,
  type RunOptions,
  withRunOptions,
} from '../command-options.ts'
import { watchInterruption } from '../interruption.ts'
import { manifestOfRecord } from '../manifest-of-record.ts'
import { openFleet } from '../open-fleet.ts'
import { type PreparedRun, prepareRun } from '../prepare-run.ts'
import { createRunView } from '../run-view.ts'
import type { Shell } from '../shell.ts'
import { printRun } from '../terminal/run-summary.ts'

interface EnqueueOptions extends RunOptions {
  wait?: boolean
  deadline?: string
}

/** `huntfleet enqueue`: hands a run to the fleet. */
export function addEnqueueCommand(program: Command, shell: Shell): void {
  withRunOptions(program.command('enqueue <strategy>'))
    .description('hand a run to the fleet; prints its id')
    .option(
      '--deadline <duration>',
      'how long from now the run ends at the latest; overrides run_limits.deadline',
    )
    .option('--wait', 'wait until it has ended and print its manifest')
    .action(async (name: string, options: EnqueueOptions) => {
      const prepared = await prepareRun(name, options, shell)
      const { context, compiled, runId } = prepared
      const { masker, output } = context
      const producer = await openFleet(context)
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
        const view = createRunView((text) => masker.mask(text))
        const record = await producer.waitForRun(runId, interruption.signal, { onProgress: view.update })
        view.close()
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
  options: EnqueueOptions,
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
    retry: 1,
    ...runLimitsOf(context.project.text.run_limits),
    ...deadlineOption(options.deadline),
  } as const
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
