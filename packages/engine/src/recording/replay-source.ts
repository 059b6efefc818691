import { fromErrorDocument, RunError, type TableSpec } from '@huntfleet/contract'
import { isExactObject } from '../json/exact.ts'
import type { McpSession, SessionSource, ToolResult } from '../ports.ts'
import { callKey, plainArgs, recordedArgs } from './call-key.ts'
import type { ReadRecording, RecordedLine } from './read-recording.ts'
import { recordedResult } from './recorded-result.ts'

export interface ReplayOptions {
  runId: string
  mask(text: string): string
}

/**
 * Answers a table's calls out of a recording: the n-th call of a tool with the same arguments has the n-th answer that
 * was recorded for it, failures included. A call that was not recorded is a USAGE_INVALID that names it.
 */
export function replaySource(
  recording: ReadRecording,
  spec: TableSpec,
  options: ReplayOptions,
): SessionSource {
  const { table } = spec
  const played = new Map<string, number>()
  const missing = (what: string, times: number) =>
    new RunError(
      'USAGE_INVALID',
      `${what} of table ${table} is not in the recording${times > 0 ? ` ${times + 1} times, only ${times}` : ''}`,
      {
        table,
        file: recording.file,
        hint: 'parameters, binding or contract differ from the recorded run: record it again with --save',
      },
    )

  /** The next line under a key, parsed; the last one again where `repeats`. */
  const next = (key: string, what: string, repeats = false): RecordedLine => {
    const lines = recording.lines(key)
    const at = played.get(key) ?? 0
    played.set(key, at + 1)
    const line = lines[at] ?? (repeats ? lines.at(-1) : undefined)
    if (line === undefined) throw missing(what, lines.length)
    const read = recording.parse(line)
    if (read.line.error !== undefined) throw fromErrorDocument(read.line.error)
    return read
  }

  const session = (server: string, info: McpSession['server']): McpSession => ({
    server: info,
    async listTools() {
      const { line } = next(callKey('tools', table, server), `the list of tools of ${server}`, true)
      return line.kind === 'tools' ? line.tools : []
    },
    async callTool(tool, args) {
      const kept = recordedArgs(plainArgs(args), options)
      const what = `the call ${server}.${tool} ${JSON.stringify(kept)}`
      return resultOf(next(callKey('call', table, server, tool, kept), what))
    },
    async readResource(uri) {
      const { line } = next(callKey('resource', table, server, options.mask(uri)), `the resource ${uri}`)
      return line.kind === 'resource' ? (line.text ?? '') : ''
    },
    close: async () => {},
  })

  return {
    async lease(server, _configKey, signal) {
      signal.throwIfAborted()
      const { line } = next(callKey('open', table, server), `a session of ${server}`, true)
      const info = line.kind === 'open' ? line.server_info : null
      return { session: session(server, info), release: async () => {} }
    },
  }
}

function resultOf({ line, exact }: RecordedLine): ToolResult {
  const result = exact.get('result')
  if (line.kind !== 'call' || line.result === undefined || !isExactObject(result)) {
    throw new RunError('USAGE_INVALID', 'a recorded call has neither a result nor an error')
  }
  return recordedResult(line.result, result)
}
