import { type Masker, maskText, RunError, type TableSpec } from '@huntfleet/contract'
import {
  createRecording,
  type ReadRecording,
  readRecording,
  replaySource,
  type Sources,
  systemClock,
  type TablePorts,
} from '@huntfleet/engine'
import type { Command } from 'commander'
import type { RunOptions } from './command-options.ts'
import type { PreparedRun } from './prepare-run.ts'

export interface SaveOptions {
  save?: string
  scrub?: boolean
}

export interface ReplayOptions extends SaveOptions {
  replay?: string
}

export function withSaveOptions(command: Command): Command {
  return command
    .option(
      '--save <file>',
      'record every answer in a file that `run --replay` takes; secrets are masked, values are real',
    )
    .option('--scrub', 'with --save: replace all values by fakes of the same shape')
}

export function withReplayOption(command: Command): Command {
  return command.option(
    '--replay <file>',
    'take all answers from a recording instead of calling anything; for CI',
  )
}

/** What takes the place of the real sources for a table. */
export type CallsOf = (
  spec: TableSpec,
  sources: Sources,
) => Partial<Pick<TablePorts, 'sessions' | 'limiter' | 'secret' | 'clock' | 'source'>>

/** How the calls of a command are made: really, really and written down, or out of a recording. */
export interface Calls {
  of: CallsOf
  close(): Promise<void>
}

/** The recording that `--replay` names. Throws USAGE_INVALID for options that contradict it. */
export async function recordingOf(options: ReplayOptions): Promise<ReadRecording | undefined> {
  if (options.replay === undefined) return undefined
  if (options.save === undefined) return readRecording(options.replay)
  throw new RunError('USAGE_INVALID', '--save and --replay exclude each other: a replay calls nothing')
}

/** The options of a replayed run: its window is that of the recording. */
export function replayedOptions<T extends RunOptions>(options: T, recording: ReadRecording | undefined): T {
  const { start, end } = recording?.header.window ?? { start: null, end: null }
  const from = options.from ?? start
  const to = options.to ?? end
  return { ...options, ...(from !== null && { from }), ...(to !== null && { to }) }
}

export async function openCalls(
  prepared: Pick<PreparedRun, 'strategy' | 'runId' | 'scheduledAt' | 'window' | 'context'>,
  options: SaveOptions,
  recording?: ReadRecording,
): Promise<Calls> {
  const { context, runId } = prepared
  if (recording !== undefined)
    return { of: replayedCalls(recording, runId, context.masker), close: async () => {} }
  if (options.save === undefined) {
    if (options.scrub !== true) return { of: () => ({}), close: async () => {} }
    throw new RunError('USAGE_INVALID', '--scrub goes with --save: there is nothing to scrub without it')
  }
  const saved = await createRecording({
    file: options.save,
    header: {
      strategy: prepared.strategy.contract.name,
      scheduled_at: prepared.scheduledAt.toISOString(),
      window: prepared.window,
    },
    runId,
    scrub: options.scrub === true,
    mask: (text) => context.masker.mask(text),
  })
  return {
    of: (spec, sources) => ({ sessions: saved.sessions(sources.sessions, spec) }),
    close: () => saved.close(),
  }
}

/** Nothing is called, no secret is needed, and nobody has to be waited for. */
function replayedCalls(recording: ReadRecording, runId: string, masker: Masker): CallsOf {
  return (spec) => ({
    sessions: replaySource(recording, spec, { runId, mask: (text) => masker.mask(text) }),
    limiter: { acquire: async () => {}, rateLimited: () => {} },
    secret: async () => maskText,
    clock: {
      ...systemClock,
      async sleep(_, signal) {
        signal.throwIfAborted()
      },
    },
    source: 'replay',
  })
}
