import { exitCodeOfRun } from '@huntfleet/contract'
import type { Command } from 'commander'
import { type RunOptions, withRunOptions } from '../command-options.ts'
import { watchInterruption } from '../interruption.ts'
import { prepareRun } from '../prepare-run.ts'
import {
  openCalls,
  type ReplayOptions,
  recordingOf,
  replayedOptions,
  withReplayOption,
  withSaveOptions,
} from '../recorded-calls.ts'
import { runInProcess } from '../run-in-process.ts'
import type { Shell } from '../shell.ts'
import { createProgressView } from '../terminal/progress.ts'
import { printRun } from '../terminal/run-summary.ts'

const help = `
STRATEGY is a folder with a contract.yaml, or a name found below \`strategies\` of huntfleet.yaml.
Exit codes: 0 complete, 5 partial, 2 config, 3 source, 4 data, 6 storage, 130 cancelled.

  huntfleet run examples/fleet-files
  huntfleet run suspicious-dns --save answers.ndjson --scrub
  huntfleet run suspicious-dns --replay answers.ndjson --out ./replayed
  huntfleet run suspicious-dns --param 'categories=["dga"]' --out s3://hunts/staging --json`

/** `huntfleet run`: the whole hunt in this process, no Redis. */
export function addRunCommand(program: Command, shell: Shell): void {
  withReplayOption(withSaveOptions(withRunOptions(program.command('run <strategy>'))))
    .description('fetch all tables of a strategy in this process, without Redis')
    .addHelpText('after', help)
    .action(async (name: string, options: RunOptions & ReplayOptions) => {
      const recording = await recordingOf(options)
      const scheduledAt = recording === undefined ? new Date() : new Date(recording.header.scheduled_at)
      const prepared = await prepareRun(name, replayedOptions(options, recording), shell, scheduledAt)
      const { masker, output } = prepared.context
      const calls = await openCalls(prepared, options, recording)
      if (recording !== undefined) output.note(`answers come from ${recording.file}: nothing is called`)
      const interruption = watchInterruption()
      const progress = createProgressView(process.stderr, (text) => masker.mask(text))
      const { manifest, key } = await runInProcess({
        ...prepared,
        progress,
        signal: interruption.signal,
        calls: calls.of,
      }).finally(() => calls.close())
      interruption.stop()
      if (options.json === true) output.printJson(manifest)
      else printRun(output, manifest, key)
      shell.exit(exitCodeOfRun(manifest))
    })
}
