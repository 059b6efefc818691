import { resolve } from 'node:path'
import {
  compileRun,
  defaultBudget,
  type Hunt,
  locateStrategy,
  type Masker,
  type Project,
  payloadVersion,
  RunError,
  type RunJob,
  readStrategy,
  readStrategyDocuments,
  runLimitsOf,
  type StorageTarget,
  throwOnErrors,
  toBundle,
  type Vocabulary,
} from '@huntfleet/contract'
import type { SlotRun } from '@huntfleet/queue'
import { tablePrefixes } from '@huntfleet/storage'

export interface HuntRunOptions {
  project: Project
  vocabulary: Vocabulary
  env: NodeJS.ProcessEnv
  masker: Masker
  storage: StorageTarget
  /** `--env NAME`: overlays the strategy's binding. */
  overlay: string | undefined
}

/**
 * The run of a hunt's slot. The strategy is read anew each time and compiled once to be sure that it can be: a hunt
 * whose strategy is broken fails its slots with the error until somebody has mended it.
 */
export async function huntRunJob(hunt: Hunt, slot: SlotRun, options: HuntRunOptions): Promise<RunJob> {
  const { project, vocabulary, env, masker, storage, overlay } = options
  const scheduledAt = new Date(slot.scheduledAt)
  const root = resolve(project.folder, project.text.strategies)
  const source = await readStrategy(
    await locateStrategy(hunt.strategy, root, project.folder),
    project.folder,
    overlay,
  )
  const { strategy, findings } = readStrategyDocuments(source, {
    project: project.text,
    vocabulary,
    now: scheduledAt,
  })
  throwOnErrors(findings)
  if (strategy === undefined) throw new RunError('INTERNAL', 'a strategy without errors must be there')
  compileRun(strategy, {
    runId: slot.runId,
    scheduledAt,
    window: slot.window,
    params: hunt.params,
    literal: new Set(),
    prefixes: (table) =>
      tablePrefixes(storage.layout, {
        strategy: strategy.contract.name,
        table,
        runId: slot.runId,
        scheduledAt: slot.scheduledAt,
      }),
    budgetMs: defaultBudget(env),
    tables: null,
    maxRows: null,
  })
  return {
    v: payloadVersion,
    runId: slot.runId,
    hunt: hunt.name,
    bundle: toBundle(source),
    params: hunt.params,
    scheduledAt: slot.scheduledAt,
    window: slot.window,
    storage: { ...storage, url: masker.mask(storage.url) },
    tables: null,
    maxRows: null,
    require: hunt.require,
    retry: 1,
    ...runLimitsOf(project.text.run_limits),
  }
}
