import { createMasker, exitCodeOf, huntfleetVersion, RunError, toRunError } from '@huntfleet/contract'
import { Command, CommanderError } from 'commander'
import { addRunCommand } from './commands/run.ts'
import { createOutput } from './terminal/output.ts'

/** Runs one command line; resolves with the exit code and never rejects. */
export async function runProgram(args: readonly string[]): Promise<number> {
  let exitCode = 0
  const exit = (code: number) => {
    exitCode = code
  }
  const program = new Command('huntfleet')
    .description(
      'Stages data for security hunts: tables from MCP servers as Parquet files with a manifest that tells whether they are whole.',
    )
    .version(huntfleetVersion)
    .showSuggestionAfterError()
    .exitOverride()
  program.configureOutput({ outputError: () => {} })
  addRunCommand(program, exit)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    const error = thrown instanceof CommanderError ? usageError(thrown) : toRunError(thrown)
    createOutput(createMasker([]), args.includes('--json')).fail(error)
    if (error.code === 'INTERNAL' && process.env['HUNTFLEET_DEBUG'] !== undefined)
      process.stderr.write(
        `${error.stack}\n${String(error.cause instanceof Error ? error.cause.stack : '')}\n`,
      )
    return exitCodeOf(error.code)
  }
}

function usageError(error: CommanderError): RunError {
  const message = error.message.replace(/^error: /, '')
  return new RunError('USAGE_INVALID', message === '(outputHelp)' ? 'a command is missing' : message, {
    hint: 'see huntfleet --help, or huntfleet COMMAND --help',
  })
}
