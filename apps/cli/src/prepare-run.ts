import {
  type CompiledRun,
  compileRun,
  newRunId,
  type RunWindow,
  type StorageTarget,
  type Strategy,
  storageTarget,
} from '@huntfleet/contract'
import { givenParams, type RunOptions } from './command-options.ts'
import { compileOptions } from './compile-options.ts'
import { openProject, openStrategy, type ProjectContext } from './project-context.ts'
import type { Shell } from './shell.ts'

/** A strategy with everything that the command line adds to it. */
export interface PreparedRun {
  context: ProjectContext
  strategy: Strategy
  compiled: CompiledRun
  runId: string
  scheduledAt: Date
  window: RunWindow
  storage: StorageTarget
}

/**
 * Reads project and strategy, checks the parameters and compiles the tables; nothing is called. `scheduledAt` is the
 * time that relative parameters and windows count from; a replay has that of its recording.
 */
export async function prepareRun(
  name: string,
  options: RunOptions,
  shell: Shell,
  scheduledAt = new Date(),
): Promise<PreparedRun> {
  const context = await openProject(options, shell)
  const strategy = await openStrategy(context, name, scheduledAt)
  const out = options.out === undefined ? undefined : { url: options.out, base: context.workingDirectory }
  const storage = storageTarget(context.project, process.env, context.masker, out)
  const runId = newRunId(strategy.contract.name, new Date())
  const params = await givenParams(options)
  const compiling = compileOptions(
    strategy.contract.name,
    runId,
    options,
    params,
    storage,
    scheduledAt,
    process.env,
  )
  return {
    context,
    strategy,
    compiled: compileRun(strategy, compiling),
    runId,
    scheduledAt,
    window: compiling.window,
    storage,
  }
}
