import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runProgram } from 'huntfleet'

/** What a command line left behind. */
export interface CommandEnd {
  exit: number
  stdout: string
  stderr: string
}

const main = fileURLToPath(new URL('../../../apps/cli/src/main.ts', import.meta.url))

/** A zone that is not UTC, so that local time shows. */
const timeZone = 'America/St_Johns'

/** Runs a command line in a process of its own with further variables; `interrupted` sends it what Ctrl-C sends. */
export function spawnCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  interrupted: AbortSignal,
): Promise<CommandEnd> {
  const child = spawn(process.execPath, ['--conditions=source', main, ...args], {
    env: { ...process.env, TZ: timeZone, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  interrupted.addEventListener('abort', () => child.kill('SIGINT'))
  const caught = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      caught[name] += chunk
    })
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ exit: code ?? -1, ...caught }))
  })
}

/** Runs command lines in this process, several at once, and tells their outputs apart. */
export class CommandRunner implements Disposable {
  readonly #outputs = new AsyncLocalStorage<{ stdout: string; stderr: string }>()
  readonly #restore: (() => void)[] = []

  constructor() {
    const zone = process.env['TZ']
    process.env['TZ'] = timeZone
    this.#restore.push(() => {
      process.env['TZ'] = zone
    })
    for (const name of ['stdout', 'stderr'] as const) this.#divert(name)
  }

  async run(args: readonly string[]): Promise<CommandEnd> {
    const caught = { stdout: '', stderr: '' }
    const exit = await this.#outputs.run(caught, () => runProgram(args))
    return { exit, ...caught }
  }

  #divert(name: 'stdout' | 'stderr'): void {
    const stream = process[name]
    const write = stream.write
    const divert = (chunk: string | Uint8Array) => {
      const caught = this.#outputs.getStore()
      if (caught === undefined) return write.call(stream, chunk)
      caught[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
      return true
    }
    stream.write = divert
    this.#restore.push(() => {
      stream.write = write
    })
  }

  [Symbol.dispose](): void {
    for (const restore of this.#restore.reverse()) restore()
  }
}
