import { compileRun, exitCodeOfRun, newRunId, storageTarget } from '@huntfleet/contract'
import type { Command } from 'commander'
import { givenParams, type RunOptions, withRunOptions } from '../command-options.ts'
import { compileOptions } from '../compile-options.ts'
import { watchInterruption } from '../interruption.ts'
import { openProject, openStrategy } from '../project-context.ts'
import { runInProcess } from '../run-in-process.ts'
import { createProgressView } from '../terminal/progress.ts'
import { printRun } from '../terminal/run-summary.ts'

/** `huntfleet run`: the whole hunt in this process, no Redis. */
export function addRunCommand(program: Command, exit: (code: number) => void): void {
  withRunOptions(program.command('run <strategy>'))
    .description('fetch all tables of a strategy in this process, without Redis')
    .addHelpText(
      'after',
      '\nSTRATEGY is a folder with a contract.yaml, or a name found below `strategies` of huntfleet.yaml.\nExit codes: 0 complete, 5 partial, 2 config, 3 source, 4 data, 6 storage, 130 cancelled.',
    )
    .action(async (name: string, options: RunOptions) => {
      const context = await openProject(options)
      const scheduledAt = new Date()
      const strategy = await openStrategy(context, name, scheduledAt)
      const storage = storageTarget(
        context.project,
        process.env,
        context.masker,
        options.out === undefined ? undefined : { url: options.out, base: context.workingDirectory },
      )
      const runId = newRunId(strategy.contract.name, scheduledAt)
      const compiling = compileOptions(
        strategy.contract.name,
        runId,
        options,
        await givenParams(options),
        storage,
        scheduledAt,
        process.env,
      )
      const compiled = compileRun(strategy, compiling)
      const interruption = watchInterruption()
      const { manifest, key } = await runInProcess({
        context,
        strategy,
        compiled,
        runId,
        scheduledAt,
        window: compiling.window,
        storage,
        progress: createProgressView(process.stderr, (text) => context.masker.mask(text)),
        signal: interruption.signal,
      })
      interruption.stop()
      if (options.json === true) context.output.printJson(manifest)
      else printRun(context.output, manifest, key)
      exit(exitCodeOfRun(manifest))
    })
}
