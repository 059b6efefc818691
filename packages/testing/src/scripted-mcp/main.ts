/**
 * A scripted MCP server as a program of its own.
 *
 *   node packages/testing/src/scripted-mcp/main.ts SCRIPT.json [--http PORT] [--sse] [--log CALLS.jsonl] [--messages MESSAGES.jsonl]
 *
 * It speaks stdio; with `--http` Streamable HTTP on 127.0.0.1 (`--sse`: answers as event streams). `--log` (or
 * `SCRIPTED_MCP_LOG`) appends every tools/call, `--messages` every message.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { startScriptedMcp } from './http-server.ts'
import type { Script } from './script.ts'
import { serveStdio } from './stdio-server.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    http: { type: 'string' },
    sse: { type: 'boolean', default: false },
    log: { type: 'string' },
    messages: { type: 'string' },
  },
})
const scriptPath = positionals[0]
if (scriptPath === undefined) {
  process.stderr.write('usage: main.ts SCRIPT.json [--http PORT] [--sse] [--log FILE] [--messages FILE]\n')
  process.exit(2)
}

const append = (path: string | undefined) => (entry: unknown) => {
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(entry)}\n`)
}
const script: Script = JSON.parse(readFileSync(scriptPath, 'utf8'))
const folder = dirname(scriptPath)
const onCall = append(values.log ?? process.env['SCRIPTED_MCP_LOG'])
const onMessage = append(values.messages)

if (values.http === undefined) {
  serveStdio(script, { folder, onCall, onMessage, onChild: (pid) => onMessage({ childPid: pid }) })
} else {
  const answer = values.sse ? 'sse' : 'json'
  const server = await startScriptedMcp(script, {
    folder,
    answer,
    port: Number(values.http),
    onCall,
    onMessage,
  })
  process.stderr.write(`scripted MCP server: ${server.url}\n`)
}
