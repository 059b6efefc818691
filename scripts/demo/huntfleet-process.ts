import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A command of `huntfleet` under way in a process of its own. */
export interface HuntfleetProcess {
  /** What it wrote on stdout so far. */
  stdout(): string
  /** Resolves as soon as stdout holds the text; rejects when the process ends before. */
  said(text: string): Promise<void>
  /** Resolves with the exit code at the end; null: a signal ended it. */
  readonly ended: Promise<number | null>
  /** SIGTERM, and SIGKILL for a process that is still there after `patienceMs`. */
  stop(patienceMs: number): Promise<void>
}

/**
 * Starts `huntfleet ARGS` in the repository. Its stderr is ours. It has a process group of its own, so that Ctrl-C
 * reaches this script alone, which then ends everything in good order.
 */
export function startHuntfleet(args: readonly string[], env: NodeJS.ProcessEnv): HuntfleetProcess {
  const child = spawn(process.execPath, ['--conditions=source', 'apps/cli/src/main.ts', ...args], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk: string) => {
    text += chunk
  })
  const atExit = () => void child.kill('SIGKILL')
  process.once('exit', atExit)
  const ended = once(child, 'close').then(() => {
    process.off('exit', atExit)
    return child.exitCode
  })
  return {
    stdout: () => text,
    ended,
    said: (words) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (text.includes(words)) resolve()
        }
        child.stdout.on('data', look)
        look()
        void ended.then((code) => reject(new Error(`huntfleet ${args[0]} ended with ${code}:\n${text}`)))
      }),
    stop: (patienceMs) => stop(child, ended, patienceMs),
  }
}

async function stop(child: ChildProcess, ended: Promise<unknown>, patienceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const deadline = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  await ended
  clearTimeout(deadline)
}
