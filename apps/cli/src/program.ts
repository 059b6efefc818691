import { createMasker, exitCodeOf, huntfleetVersion, RunError, toRunError } from '@huntfleet/contract'
import { Command, CommanderError } from 'commander'
import type { Shell } from './shell.ts'
import { createOutput } from './terminal/output.ts'

const description =
  'Stages data for security hunts: tables from MCP servers as Parquet files, with a manifest that tells whether they are whole.'

/** Runs one command line; resolves with the exit code and never rejects. */
export async function runProgram(args: readonly string[]): Promise<number> {
  let exitCode = 0
  const shell: Shell = {
    masker: createMasker([]),
    exit(code) {
      exitCode = code
    },
  }
  const program = new Command('huntfleet')
    .description(description)
    .version(huntfleetVersion)
    .showSuggestionAfterError()
  // Set before commands are added: they inherit it.
  program.exitOverride().configureOutput({ outputError: () => {} })
  await addCommands(program, shell)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    if (thrown instanceof CommanderError && thrown.code === 'commander.help')
      return exitCodeOf('USAGE_INVALID')
    const error = thrown instanceof CommanderError ? usageError(thrown) : toRunError(thrown)
    createOutput(shell.masker, args.includes('--json')).fail(error)
    if (error.code === 'INTERNAL' && process.env['HUNTFLEET_DEBUG'] !== undefined) showStack(error)
    return exitCodeOf(error.code)
  }
}

/** Commands are loaded one by one, and what they need (S3, BullMQ, the dashboard) only when they are used. */
async function addCommands(program: Command, shell: Shell): Promise<void> {
  const { addValidateCommand } = await import('./commands/validate.ts')
  const { addPlanCommand } = await import('./commands/plan.ts')
  const { addPreviewCommand } = await import('./commands/preview.ts')
  const { addRunCommand } = await import('./commands/run.ts')
  const { addEnqueueCommand } = await import('./commands/enqueue.ts')
  const { addRunsCommand } = await import('./commands/runs.ts')
  const { addScheduleCommand } = await import('./commands/schedule.ts')
  const { addBackfillCommand } = await import('./commands/backfill.ts')
  const { addWorkerCommand } = await import('./commands/worker.ts')
  const { addAdapterCommand } = await import('./commands/adapter.ts')
  const { addDashboardCommand } = await import('./commands/dashboard.ts')
  const { addServersCommand } = await import('./commands/servers.ts')
  const { addGcCommand } = await import('./commands/gc.ts')
  const { addSchemaCommand } = await import('./commands/schema.ts')
  addValidateCommand(program, shell)
  addPlanCommand(program, shell)
  addPreviewCommand(program, shell)
  addRunCommand(program, shell)
  addEnqueueCommand(program, shell)
  addRunsCommand(program, shell)
  addScheduleCommand(program, shell)
  addBackfillCommand(program, shell)
  addWorkerCommand(program, shell)
  addDashboardCommand(program, shell)
  addServersCommand(program, shell)
  addAdapterCommand(program, shell)
  addGcCommand(program, shell)
  addSchemaCommand(program, shell)
}

function usageError(error: CommanderError): RunError {
  return new RunError('USAGE_INVALID', error.message.replace(/^error: /, ''), {
    hint: 'see huntfleet --help, or huntfleet COMMAND --help',
  })
}

function showStack(error: RunError): void {
  const cause = error.cause instanceof Error ? (error.cause.stack ?? '') : ''
  process.stderr.write(`${error.stack ?? ''}\n${cause}\n`)
}
