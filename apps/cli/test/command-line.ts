import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Script } from '@huntfleet/testing'
import { onTestFinished, vi } from 'vitest'
import { runProgram } from '../src/program.ts'

/** What tests need to give command lines a project to work on and to see what they print. */

const serverProgram = fileURLToPath(import.meta.resolve('../../../packages/testing/src/scripted-mcp/main.ts'))

export interface CommandResult {
  code: number
  stdout: string
  stderr: string
}

/** Runs one command line in this process, with `folder` as the current one. */
export async function huntfleet(folder: string, ...args: string[]): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += String(chunk)
      return true
    }),
  )
  const before = process.cwd()
  process.chdir(folder)
  try {
    const code = await runProgram(args)
    return { code, ...written }
  } finally {
    process.chdir(before)
    for (const spy of spies) spy.mockRestore()
  }
}

export interface ProjectFiles {
  /** Further files, or other contents for those below. */
  files?: Readonly<Record<string, string>>
  /** What the server `logs` answers. */
  script?: Script
}

/** A contract with one table `events`. */
export const contract = `name: dns
description: d
tags: [t]
params: {days: {type: int, default: 7}, who: {}}
requires:
  tables:
    events:
      columns: {id: BIGINT, name: VARCHAR}
`

export const binding = `source_bindings:
  events:
    fetch_mode: mcp_client
    mcp_server: logs
    mcp_tool: search
    mcp_args: {days: "{{days}}"}
`

const rows: Script = {
  script: {
    search: [
      {
        json: [
          { id: 1, name: 'a' },
          { id: 2, name: null },
        ],
      },
    ],
  },
}

/** A project with one strategy, `strategies/dns`, and one scripted server; gone when the test has ended. */
export async function projectFolder({ files = {}, script = rows }: ProjectFiles = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const tools = script.tools ?? Object.keys(script.script).map((name) => ({ name }))
  const all = {
    'huntfleet.yaml': `mcp_servers:\n  logs:\n    local:\n      command: ${process.execPath}\n      args: [${serverProgram}, server.json]\n`,
    'server.json': JSON.stringify({ tools, ...script }),
    'strategies/dns/contract.yaml': contract,
    'strategies/dns/binding.yaml': binding,
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}
