import { createRequire } from 'node:module'
import type { RunJob } from './jobs.ts'
import type { JsonObject } from './json-value.ts'
import type { Manifest, TableEntry } from './manifest.ts'
import { hasFile, isSettled, type RunStatus, statusOf } from './outcome.ts'

/** The version of Huntfleet, for manifests and `--version`. */
export const huntfleetVersion = String(createRequire(import.meta.url)('../package.json').version)

export interface RunFacts {
  runId: string
  hunt: string | null
  strategy: string
  version: string
  /** As compiled, secrets masked. */
  params: JsonObject
  scheduledAt: string
  window: RunJob['window']
  startedAt: string
  finishedAt: string
  /** Storage URL that the tables' paths are relative to. */
  storage: string
  require: RunJob['require']
  /** Which execution of the run this is. */
  retry: number
}

/**
 * The manifest of a run whose tables have ended. `waitsForAgents`: whether tables that an agent must stage can still
 * come.
 */
export function buildManifest(
  facts: RunFacts,
  tables: Readonly<Record<string, TableEntry>>,
  waitsForAgents: boolean,
): Manifest {
  return {
    manifest_version: 1,
    run_id: facts.runId,
    strategy: facts.strategy,
    version: facts.version,
    hunt: facts.hunt,
    status: runStatus(facts.require, tables, waitsForAgents),
    params: facts.params,
    scheduled_at: facts.scheduledAt,
    window: facts.window,
    started_at: facts.startedAt,
    finished_at: facts.finishedAt,
    storage: facts.storage,
    huntfleet_version: huntfleetVersion,
    retry: facts.retry,
    tables: { ...tables },
  }
}

function runStatus(
  require: RunJob['require'],
  tables: Readonly<Record<string, TableEntry>>,
  waitsForAgents: boolean,
): RunStatus {
  const status = statusOf(Object.values(tables), waitsForAgents)
  if (require === 'any' || status === 'cancelled' || status === 'pending') return status
  // A hunt that demands whole tables has failed when it has anything less.
  const whole = Object.values(tables).every(
    (table) =>
      isSettled(table.outcome) && (require === 'complete' || !hasFile(table.outcome) || isProven(table)),
  )
  return whole ? status : 'failed'
}

/** Whether something else than the source's silence says that the table is whole. */
function isProven(table: TableEntry): boolean {
  return table.proof !== null && table.proof !== 'unpaged' && table.proof !== 'agent'
}
