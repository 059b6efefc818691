import { existsSync, readFileSync } from 'node:fs'
import type { ScriptedCall } from '@huntfleet/testing'

/** The calls that a scripted server of its own process has logged. */
export function readScriptedCalls(log: string): ScriptedCall[] {
  if (!existsSync(log)) return []
  const lines = readFileSync(log, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line): ScriptedCall => JSON.parse(line))
}
