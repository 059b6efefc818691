import { parseDuration, RunError } from '@huntfleet/contract'
import type { HealthAddress } from '@huntfleet/worker'
import type { Command } from 'commander'
import { type CommonOptions, positiveOption, withCommonOptions } from '../command-options.ts'
import { openProject } from '../project-context.ts'
import type { Shell } from '../shell.ts'

interface WorkerOptions extends CommonOptions {
  concurrency?: string
  threads?: string
  grace?: string
  health?: string
  out?: string
  logLevel: string
}

/** `huntfleet worker`: takes jobs until it is told to end. */
export function addWorkerCommand(program: Command, shell: Shell): void {
  withCommonOptions(program.command('worker'))
    .description('take runs and tables from the queues until SIGTERM; tables in hand go back to the queue')
    .option('--concurrency <n>', 'tables at the same time, over all servers', '8')
    .option('--threads <n>', 'threads that read and encode answers; 0: none, the main thread does it')
    .option('--grace <duration>', 'how long tables in hand may go on after SIGTERM', '0s')
    .option('--health <host:port>', 'answer GET /healthz there, for example 0.0.0.0:4401')
    .option('--out <url>', 'where the files go; overrides storage.url')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .action(async (options: WorkerOptions) => {
      const context = await openProject(options, shell)
      const grace = graceMs(options.grace ?? '0s')
      const { closeOnSignals, runWorker } = await import('@huntfleet/worker')
      const starting = runWorker({
        project: context.project,
        vocabulary: context.vocabulary,
        env: process.env,
        masker: context.masker,
        concurrency: positiveOption('concurrency', options.concurrency) ?? 8,
        threads: await threads(options.threads),
        graceMs: grace,
        health: options.health === undefined ? null : healthAddress(options.health),
        logLevel: options.logLevel,
        overlay: context.overlay,
        ...(options.out !== undefined && { out: { url: options.out, base: context.workingDirectory } }),
      })
      await closeOnSignals(starting, grace)
    })
}

async function threads(text: string | undefined): Promise<number> {
  if (text === undefined) return (await import('@huntfleet/engine')).defaultThreads()
  if (/^\d{1,3}$/.test(text)) return Number(text)
  throw new RunError('USAGE_INVALID', `--threads ${JSON.stringify(text)} is not a number from 0 to 999`, {
    hint: 'leave it out: one less than there are cores, at most 4',
  })
}

function graceMs(text: string): number {
  const ms = /^0(?:s|ms|m)?$/.test(text) ? 0 : parseDuration(text)
  if (ms !== undefined) return ms
  throw new RunError('USAGE_INVALID', `--grace ${JSON.stringify(text)} is not a duration`, {
    hint: 'write 0s, 30s or 2m',
  })
}

function healthAddress(text: string): HealthAddress {
  const parts = /^(?:(.+):)?(\d{1,5})$/.exec(text)
  const port = Number(parts?.[2])
  if (parts === null || port > 65_535) {
    throw new RunError('USAGE_INVALID', `--health ${JSON.stringify(text)} is not host:port`, {
      hint: 'write 127.0.0.1:4401, or 0.0.0.0:4401 in a container',
    })
  }
  return { host: parts[1] ?? '127.0.0.1', port }
}
