import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Script } from '../../src/scripted-mcp/script.ts'

const program = fileURLToPath(new URL('../../src/scripted-mcp/main.ts', import.meta.url))
let folder: string
let child: ChildProcess | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scripted-mcp-'))
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await rm(folder, { recursive: true })
})

async function start(script: Script, ...flags: string[]): Promise<ChildProcess> {
  await writeFile(join(folder, 'script.json'), JSON.stringify(script))
  child = spawn(process.execPath, [program, join(folder, 'script.json'), ...flags])
  return child
}

const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch"}}\n'

describe('the scripted server as a program', () => {
  it('answers on stdio, logs its calls and ends with its stdin', async () => {
    await writeFile(join(folder, 'page.txt'), 'from a file')
    const log = join(folder, 'calls.jsonl')
    const server = await start(
      { script: { fetch: [{ file: 'page.txt', noise: 'LOG: fetching' }] } },
      '--log',
      log,
    )
    server.stdin?.write(call)
    const lines: string[] = []
    for await (const line of createInterface({ input: server.stdout ?? process.stdin })) {
      lines.push(line)
      if (lines.length === 2) break
    }
    expect(lines[0]).toBe('LOG: fetching')
    expect(JSON.parse(lines[1] ?? '').result.content).toEqual([{ type: 'text', text: 'from a file' }])
    server.stdin?.end()
    const [code] = await once(server, 'exit')
    expect(code).toBe(0)
    expect(JSON.parse(await readFile(log, 'utf8'))).toMatchObject({ tool: 'fetch', step: 0 })
  })

  it('dies when the script says so', async () => {
    const server = await start({ script: { fetch: [{ exit: 7, stderr: 'out of luck' }] } })
    server.stdin?.write(call)
    const [stderr] = await once(server.stderr ?? process.stdin, 'data')
    expect(String(stderr)).toBe('out of luck')
    const [code] = await once(server, 'close')
    expect(code).toBe(7)
  })

  it('serves HTTP on a port', async () => {
    const server = await start({ script: { fetch: [{ text: 'over http' }] } }, '--http', '0')
    const [line] = await once(server.stderr ?? process.stdin, 'data')
    const url = /http:\S+/.exec(String(line))?.[0] ?? ''
    const response = await fetch(url, {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
    })
    expect(response.status).toBe(200)
  })
})
