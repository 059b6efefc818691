import { runProgram } from 'huntfleet'
import { vi } from 'vitest'

/** What a command line left behind. */
export interface CliRun {
  exit: number
  stdout: string
  stderr: string
}

/** Runs a command line in this process and catches what it writes; one at a time. */
export async function runCli(args: readonly string[]): Promise<CliRun> {
  const caught = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      caught[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
      return true
    }),
  )
  try {
    return { exit: await runProgram(args), ...caught }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
