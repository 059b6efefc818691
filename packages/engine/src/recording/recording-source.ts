import { RunError, toRunError } from '@huntfleet/contract'
import { type Exact, ExactNumber } from '../json/exact.ts'
import { mapExact } from '../json/map-exact.ts'
import { toExact } from '../json/to-exact.ts'
import type { McpSession, SessionSource, ToolResult } from '../ports.ts'
import { plainArgs, recordedArgs } from './call-key.ts'
import type { Scrubber } from './scrubber.ts'

export interface RecordingSourceOptions {
  table: string
  runId: string
  mask(text: string): string
  /** null: values are recorded as they are. */
  scrubber: Scrubber | null
  write(line: Record<string, unknown>): Promise<void>
}

/** A source of sessions that writes down what goes through them: answers and failures, and how long they took. */
export function recordingSource(inner: SessionSource, options: RecordingSourceOptions): SessionSource {
  const { table, mask, scrubber, write } = options
  const words = (text: string) => mask(scrubber === null ? text : scrubber.text(text))
  const listed = new Set<string>()

  /** Does `work` and writes a line of what came of it; a run that is being ended is no answer of a source. */
  const record = async <T>(
    line: { kind: string; server: string; [field: string]: unknown },
    signal: AbortSignal,
    work: () => Promise<T>,
    show: (value: T) => Record<string, unknown>,
  ): Promise<T> => {
    const startedAt = Date.now()
    const common = () => ({
      ...line,
      table,
      ms: Date.now() - startedAt,
      at: new Date(startedAt).toISOString(),
    })
    let value: T
    try {
      value = await work()
    } catch (thrown) {
      const { issues: _, hint, ...error } = toRunError(thrown).toJSON()
      if (!signal.aborted) {
        const told = {
          ...error,
          message: words(error.message),
          ...(hint !== undefined && { hint: mask(hint) }),
        }
        await write({
          ...common(),
          ...(line.kind === 'open' && { server_info: null }),
          ...(line.kind === 'tools' && { tools: [] }),
          error: told,
        })
      }
      throw thrown
    }
    await write({ ...common(), ...show(value) })
    return value
  }

  const wrapped = (session: McpSession, server: string): McpSession => ({
    server: session.server,
    async listTools(call) {
      if (listed.has(server)) return session.listTools(call)
      const tools = await record(
        { kind: 'tools', server },
        call.signal,
        () => session.listTools(call),
        (tools) => ({ tools }),
      )
      listed.add(server)
      return tools
    },
    callTool(tool, args, call) {
      const plain = plainArgs(args)
      const kept = recordedArgs(scrubber === null ? plain : scrubber.args(tool, plain), options)
      const line = { kind: 'call', server, tool, args: kept, scrubbed: scrubber !== null }
      return record(
        line,
        call.signal,
        // Without a decoder: what is recorded must be in this thread.
        () => session.callTool(tool, args, { timeoutMs: call.timeoutMs, signal: call.signal }),
        (result) => ({
          result: shownResult(scrubber === null ? result : scrubber.result(result), mask),
        }),
      )
    },
    readResource(uri, call) {
      const line = { kind: 'resource', server, uri: words(uri) }
      return record(
        line,
        call.signal,
        () => session.readResource(uri, call),
        (text) => ({ text: words(text) }),
      )
    },
    close: () => session.close(),
  })

  return {
    async lease(server, configKey, signal) {
      const lease = await record(
        { kind: 'open', server },
        signal,
        () => inner.lease(server, configKey, signal),
        ({ session }) => ({ server_info: session.server }),
      )
      return { session: wrapped(lease.session, server), release: (reusable) => lease.release(reusable) }
    },
  }
}

/** A result as a line of the recording holds it; every digit of `structuredContent` stays. */
function shownResult(
  { content, structuredContent, meta, isError, bytes }: ToolResult,
  mask: (text: string) => string,
): Exact {
  const result = toExact({
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(meta !== undefined && { _meta: meta }),
    isError,
  })
  const masked = mapExact(result, {
    leaf(leaf) {
      if (typeof leaf === 'string') return mask(leaf)
      if (leaf === null || typeof leaf === 'boolean') return leaf
      const text = leaf instanceof ExactNumber ? leaf.text : String(leaf)
      const told = mask(text)
      return told === text ? leaf : told
    },
    key: mask,
  })
  if (!(masked instanceof Map)) throw new RunError('INTERNAL', 'a result is an object')
  return new Map<string, Exact>([...masked, ['bytes', bytes]])
}
