import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { sourceProgram } from './chaos-project.ts'

/** Starts the HTTP source as a process of its own; `folder` is where it logs and learns how to fail. */
export async function runSource(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['--conditions=source', sourceProgram, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const [url]: unknown[] = await once(lines, 'line')
  return {
    url: String(url),
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}
