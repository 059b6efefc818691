import { payloadVersion, RunError, type RunJob, type TableJob, type TableSpec } from '@huntfleet/contract'
import type { Job, Queue } from 'bullmq'
import { jobCatalog } from './job-catalog.ts'
import type { HeldJob, JobEnvironment } from './job-environment.ts'
import { openQueue } from './open-queue.ts'
import { sealPayload } from './payload.ts'
import type { RunPlan } from './processors.ts'
import { sourceQueue } from './queue-names.ts'
import { plannedField, tableField } from './run-record.ts'
import { readRunMarks, writeRunRecord } from './run-store.ts'
import { announceSources, assertLimits, type SourceServer } from './source-queues.ts'
import { factsOf, tableJobId } from './table-facts.ts'

export interface PlanEnvironment extends JobEnvironment {
  /** The servers of this worker's own project file, with their limits. */
  readonly servers: readonly SourceServer[]
}

/**
 * The planning half of a run job: writes the plan into the run's record and adds one child job per table to the queue
 * of its server. All of it may be repeated after a crash: the ids are the same, so nothing is added twice.
 * A flow producer would do the same in one step but refuses deduplication of its parents, which overlap policies need.
 */
export async function planTables(
  environment: PlanEnvironment,
  run: RunJob,
  plan: RunPlan,
  held: HeldJob,
): Promise<void> {
  const { fleet } = environment
  const fields: Record<string, string> = {}
  for (const spec of plan.specs) {
    if (Object.hasOwn(fields, tableField('facts', spec.table)) || Object.hasOwn(plan.entries, spec.table)) {
      throw new RunError('INTERNAL', `table ${spec.table} was planned twice`)
    }
    fields[tableField('facts', spec.table)] = JSON.stringify(factsOf(spec))
  }
  for (const [table, entry] of Object.entries(plan.entries))
    fields[tableField('entry', table)] = JSON.stringify(entry)
  await writeRunRecord(fleet, held.fence, run.runId, fields)
  await addTables(environment, run, plan.specs, held.job)
  await writeRunRecord(fleet, held.fence, run.runId, { [plannedField]: '1' })
  // Whoever cancels sets the flag first and removes the children then: either he saw these, or we see the flag.
  if ((await readRunMarks(fleet, run.runId)).cancelled) await held.job.removeUnprocessedChildren()
}

async function addTables(
  { fleet, servers, signingKey }: PlanEnvironment,
  run: RunJob,
  specs: readonly TableSpec[],
  parent: Job,
): Promise<void> {
  const byServer = Map.groupBy(specs, (spec) => factsOf(spec).server)
  await announceSources(fleet, [...byServer.keys()])
  await assertLimits(
    fleet,
    servers.filter((server) => byServer.has(server.name)),
  )
  for (const [server, tables] of byServer) {
    const queue = openQueue(fleet, sourceQueue(server))
    try {
      await queue.addBulk(tables.map((spec) => childOf(run, spec, parent, signingKey)))
    } finally {
      await queue.close()
    }
  }
}

function childOf(
  run: RunJob,
  spec: TableSpec,
  parent: Job,
  signingKey: string | null,
): Parameters<Queue['addBulk']>[0][number] {
  const payload: TableJob = { v: payloadVersion, runId: run.runId, spec, storage: run.storage }
  return {
    // The dashboard's flow graph shows names, not ids.
    name: spec.table,
    data: sealPayload('table', payload, signingKey),
    opts: {
      ...jobCatalog.table.options,
      jobId: tableJobId(run.runId, spec.table),
      parent: { id: run.runId, queue: parent.queueQualifiedName },
      ...(parent.opts.priority !== undefined && { priority: parent.opts.priority }),
      // Without it the run would wait for ever for a table whose worker died too often.
      ignoreDependencyOnFailure: true,
    },
  }
}
