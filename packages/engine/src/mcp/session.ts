import { RunError } from '@huntfleet/contract'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { z } from 'zod'
import type { CallOptions, Clock, McpSession, ToolInfo, ToolResult } from '../ports.ts'
import { classify } from './classify.ts'
import { withDeadline } from './deadline.ts'
import type { McpTransport } from './mcp-transport.ts'
import { readToolList } from './tool-list.ts'
import { readToolResult, resourceText } from './tool-result.ts'
import { isRecord, type WireAnswer } from './wire-message.ts'

/** The longest delay of a Node timer. The SDK's own timeout is put there, because ours decides (2^31 would be 1 ms). */
export const longestTimeoutMs = 2 ** 31 - 1

/** Any result: it is read leniently by us, and the SDK's schema would throw whole answers away. */
const anyResult = z.custom<object>((value) => typeof value === 'object' && value !== null)

export interface SdkSessionOptions {
  server: string
  client: Client
  transport: McpTransport
  clock: Clock
  /** Whether progress notifications start a call's timeout anew. */
  progressExtends: boolean
}

/** An open connection over the MCP SDK's client. */
export class SdkSession implements McpSession {
  readonly server: { name: string; version: string } | null
  /** Tool calls that were answered. */
  calls = 0
  readonly #options: SdkSessionOptions
  #tools: Promise<readonly ToolInfo[]> | undefined
  #closed: Promise<void> | undefined

  constructor(options: SdkSessionOptions) {
    this.#options = options
    const version = options.client.getServerVersion()
    this.server = version ? { name: version.name, version: version.version } : null
  }

  /** Whether calls may still be answered: false once it is closed, its process ended or its server forgot it. */
  get alive(): boolean {
    return this.#closed === undefined && this.#options.transport.failure === undefined
  }

  listTools(options: CallOptions): Promise<readonly ToolInfo[]> {
    this.#tools ??= readToolList(async (cursor) => {
      const params = cursor === undefined ? {} : { cursor }
      return (await this.#request('tools/list', params, options)).result
    }).catch((error: unknown) => {
      this.#tools = undefined
      throw error
    })
    return this.#tools
  }

  async callTool(tool: string, args: Record<string, unknown>, options: CallOptions): Promise<ToolResult> {
    const answer = await this.#request('tools/call', { name: tool, arguments: args }, options, tool)
    this.calls += 1
    return this.#read(answer, readToolResult, tool)
  }

  async readResource(uri: string, options: CallOptions): Promise<string> {
    return this.#read(await this.#request('resources/read', { uri }, options), resourceContents)
  }

  close(): Promise<void> {
    this.#closed ??= this.#options.client.close()
    return this.#closed
  }

  async #request(
    method: string,
    params: Record<string, unknown>,
    { timeoutMs, signal }: CallOptions,
    tool?: string,
  ): Promise<WireAnswer> {
    const { server, client, transport, clock, progressExtends } = this.#options
    const what =
      tool === undefined ? `${method} of server "${server}"` : `tool "${tool}" of server "${server}"`
    const hint = 'ask for smaller pages or a shorter window, or raise `timeout`'
    const limit = { clock, timeoutMs: Math.min(timeoutMs, longestTimeoutMs), signal, what, hint }
    try {
      const result = await withDeadline(limit, (own, extend) =>
        client.request({ method, params }, anyResult, {
          signal: own,
          timeout: longestTimeoutMs,
          ...(progressExtends && { onprogress: extend }),
        }),
      )
      const answer = transport.answerOf(result)
      if (!answer) throw new RunError('INTERNAL', `${what}: an answer without a message`)
      return answer
    } catch (error) {
      throw classify(error, {
        what,
        server,
        ...(tool !== undefined && { tool }),
        signal,
        failure: transport.failure,
      })
    }
  }

  #read<T>(answer: WireAnswer, read: (answer: WireAnswer) => T, tool?: string): T {
    try {
      return read(answer)
    } catch (error) {
      if (!(error instanceof RunError)) throw error
      throw error.with({ server: this.#options.server, ...(tool !== undefined && { tool }) })
    }
  }
}

function resourceContents({ result }: WireAnswer): string {
  const { contents } = result
  const texts = Array.isArray(contents) ? contents.filter(isRecord).map(resourceText) : []
  const readable = texts.filter((text) => typeof text === 'string')
  if (readable.length === 0) throw new RunError('ANSWER_INVALID', 'the resource holds no text')
  return readable.join('\n')
}
