import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { drip } from './drip.ts'
import type { Script, ScriptedCall } from './script.ts'
import { type Incoming, type Outgoing, ScriptedProtocol } from './scripted-protocol.ts'

export interface StdioServerOptions {
  folder: string
  onMessage: (message: Incoming) => void
  onCall: (call: ScriptedCall) => void
  /** Told the process id of the child that `process.spawnsChild` asks for. */
  onChild: (pid: number | undefined) => void
}

/** Serves a script on this process's stdin and stdout until stdin ends. */
export function serveStdio(script: Script, options: StdioServerOptions): void {
  const habits = script.process ?? {}
  if (habits.stderr !== undefined) process.stderr.write(habits.stderr)
  if (habits.exitAtStart !== undefined) process.exit(habits.exitAtStart)
  if (habits.banner !== undefined) process.stdout.write(`${habits.banner}\n`)
  if (habits.ignoreSigterm) process.on('SIGTERM', () => undefined)
  if (habits.ignoreStdinEnd) setInterval(() => undefined, 60_000)
  if (habits.spawnsChild) {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    child.unref()
    options.onChild(child.pid)
  }
  const ended = new AbortController()
  const protocol = new ScriptedProtocol(script, { ...options, signal: ended.signal })
  const write = (text: string) => void process.stdout.write(`${text}\n`)

  createInterface({ input: process.stdin })
    .on('line', (line) => {
      if (line.trim() === '') return
      protocol.answer(JSON.parse(line), write).then(
        (outgoing) => outgoing && send(outgoing),
        () => undefined,
      )
    })
    .on('close', () => ended.abort())
}

async function send({ text, step }: Outgoing): Promise<void> {
  if (step.stderr !== undefined) {
    process.stderr.write(typeof step.stderr === 'string' ? step.stderr : 'e'.repeat(step.stderr))
  }
  if (step.noise !== undefined) process.stdout.write(`${step.noise}\n`)
  if (step.exit !== undefined) process.exit(step.exit)
  switch (step.fault) {
    case 'drop_socket':
      process.exit(1)
      break
    case 'cut_body':
      process.stdout.write(text.slice(0, text.length / 2), () => process.exit(1))
      return
    case 'end_stream':
      return
    case 'not_json':
      process.stdout.write('<html><body>not what you asked for</body></html>\n')
      return
    default:
      await drip(text, step.drip, (piece) => void process.stdout.write(piece))
      process.stdout.write('\n', () => {
        if (step.exitAfter !== undefined) process.exit(step.exitAfter)
      })
  }
}
