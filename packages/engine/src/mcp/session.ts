import { RunError } from '@huntfleet/contract'
import type { CallOptions, Clock, McpSession, ToolInfo, ToolResult } from '../ports.ts'
import { classify } from './classify.ts'
import { withDeadline } from './deadline.ts'
import { longestTimeoutMs, type McpClient } from './mcp-client.ts'
import type { McpTransport } from './mcp-transport.ts'
import { argumentHeaders } from './modern-headers.ts'
import { readToolList } from './tool-list.ts'
import { readToolResult, resourceText } from './tool-result.ts'
import { isRecord, type WireAnswer } from './wire-message.ts'

export interface SdkSessionOptions {
  server: string
  client: McpClient
  transport: McpTransport
  clock: Clock
  /** Whether progress notifications start a call's timeout anew. */
  progressExtends: boolean
}

/** An open connection over the client of either SDK. */
export class SdkSession implements McpSession {
  readonly server: { name: string; version: string } | null
  /** Tool calls that were answered. */
  calls = 0
  readonly #options: SdkSessionOptions
  #tools: Promise<readonly ToolInfo[]> | undefined
  /** Input schemas by tool, once the tools were listed. */
  #schemas: ReadonlyMap<string, Record<string, unknown>> = new Map()
  #closed: Promise<void> | undefined

  constructor(options: SdkSessionOptions) {
    this.#options = options
    this.server = options.client.server
  }

  /** Whether calls may still be answered: false once it is closed, its process ended or its server forgot it. */
  get alive(): boolean {
    return this.#closed === undefined && this.#options.transport.failure === undefined
  }

  listTools(options: CallOptions): Promise<readonly ToolInfo[]> {
    this.#tools ??= this.#listTools(options).catch((error: unknown) => {
      this.#tools = undefined
      throw error
    })
    return this.#tools
  }

  async #listTools(options: CallOptions): Promise<readonly ToolInfo[]> {
    const tools = await readToolList(async (cursor) => {
      const params = cursor === undefined ? {} : { cursor }
      return (await this.#request('tools/list', params, options)).result
    })
    this.#schemas = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]))
    return tools
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
    { timeoutMs, signal, decoder }: CallOptions,
    tool?: string,
  ): Promise<WireAnswer> {
    const { server, client, transport, clock, progressExtends } = this.#options
    const what =
      tool === undefined ? `${method} of server "${server}"` : `tool "${tool}" of server "${server}"`
    const hint = 'ask for smaller pages or a shorter window, or raise `timeout`'
    transport.decoder = decoder
    const limit = { clock, timeoutMs: Math.min(timeoutMs, longestTimeoutMs), signal, what, hint }
    try {
      return await withDeadline(limit, (own, extend) =>
        client.request({
          method,
          params,
          signal: own,
          ...(progressExtends && { onProgress: extend }),
          ...(tool !== undefined && this.#mirrored(tool, params)),
        }),
      )
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

  /** The arguments that a tool wants repeated in headers. */
  #mirrored(tool: string, { arguments: args }: Record<string, unknown>) {
    const schema = this.#schemas.get(tool)
    if (!this.#options.client.mirrorsArguments || schema === undefined || !isRecord(args)) return {}
    return { headers: argumentHeaders(schema, args) }
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
