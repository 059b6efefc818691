import { payloadVersion, RunError, type RunJob, type TableJob, type TableSpec } from '@huntfleet/contract'
import type { Job, Queue } from 'bullmq'
import { nextTurns } from './fair-order.ts'
import { jobCatalog } from './job-catalog.ts'
import type { HeldJob, JobEnvironment } from './job-environment.ts'
import { runJobId, tableJobId } from './job-ids.ts'
import { keepBetter } from './keep-better.ts'
import { openQueue } from './open-queue.ts'
import { sealPayload } from './payload.ts'
import type { RunPlan } from './processors.ts'
import { sourceQueue } from './queue-names.ts'
import { isOverdue } from './run-deadline.ts'
import { plannedField, tableField } from './run-record.ts'
import { getRun, readRunMarks, writeRunRecord } from './run-store.ts'
import { announceSources, assertLimits, type SourceServer } from './source-queues.ts'
import { factsOf } from './table-facts.ts'

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
  deadlineAt: string | null,
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
  const before = run.retry === 1 ? {} : ((await getRun(fleet, run.runId))?.tables ?? {})
  for (const [table, entry] of Object.entries(plan.entries)) {
    const kept = keepBetter(before[table]?.before ?? null, { ...entry, retry: run.retry })
    fields[tableField('entry', table)] = JSON.stringify(kept)
  }
  await writeRunRecord(fleet, held.fence, run.runId, fields)
  // After its deadline nothing more is begun; the last pass says so for every table.
  if (!isOverdue(deadlineAt)) await addTables(environment, run, plan.specs, deadlineAt, held.job)
  await writeRunRecord(fleet, held.fence, run.runId, { [plannedField]: '1' })
  // Whoever cancels sets the flag first and removes the children then: either he saw these, or we see the flag.
  if ((await readRunMarks(fleet, run.runId, run.retry)).cancelled) await held.job.removeUnprocessedChildren()
}

async function addTables(
  { fleet, servers, signingKey }: PlanEnvironment,
  run: RunJob,
  specs: readonly TableSpec[],
  deadlineAt: string | null,
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
      const turn = await nextTurns(fleet, queue, server, (parent.opts.priority ?? 0) > 0)
      const children = tables.map((spec, index) => {
        const payload = payloadOf(run, spec, deadlineAt)
        return childOf(payload, turn(index), parent, signingKey)
      })
      await queue.addBulk(children)
    } finally {
      await queue.close()
    }
  }
}

function payloadOf(run: RunJob, spec: TableSpec, deadlineAt: string | null): TableJob {
  const { runId, storage, retry, budget } = run
  return { v: payloadVersion, runId, spec, storage, retry, deadlineAt, budget }
}

function childOf(
  payload: TableJob,
  turn: number,
  parent: Job,
  signingKey: string | null,
): Parameters<Queue['addBulk']>[0][number] {
  const { runId, retry, spec } = payload
  return {
    // The dashboard's flow graph shows names, not ids.
    name: spec.table,
    data: sealPayload('table', payload, signingKey),
    opts: {
      ...jobCatalog.table.options,
      jobId: tableJobId(runId, spec.table, retry),
      priority: turn,
      parent: { id: runJobId(runId, retry), queue: parent.queueQualifiedName },
      // Without it the run would wait for ever for a table whose worker died too often.
      ignoreDependencyOnFailure: true,
    },
  }
}
