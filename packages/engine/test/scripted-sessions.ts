import type {
  CallOptions,
  McpSession,
  SessionLease,
  SessionSource,
  ToolInfo,
  ToolResult,
} from '../src/ports.ts'

/** One call as the server saw it. */
export interface SeenCall {
  tool: string
  args: Record<string, unknown>
  timeoutMs: number
  /** 1-based over all calls. */
  number: number
  signal: AbortSignal
}

/** Answers a call, or throws what the session would. */
export type Answer = (call: SeenCall) => ToolResult | Promise<ToolResult>

/** A tool that only reads, with this input schema. */
export function readTool(
  name: string,
  properties: Record<string, unknown> = {},
  more: Partial<ToolInfo> = {},
) {
  const tool: ToolInfo = {
    name,
    description: '',
    inputSchema: { type: 'object', properties },
    readOnly: true,
    ...more,
  }
  return tool
}

export function textResult(text: string, more: Partial<ToolResult> = {}): ToolResult {
  return {
    content: [{ type: 'text', text }],
    structuredContent: undefined,
    meta: undefined,
    isError: false,
    bytes: text.length,
    ...more,
  }
}

export const jsonResult = (value: unknown, more: Partial<ToolResult> = {}) =>
  textResult(JSON.stringify(value), more)

/** Sessions of one server that answers as a function says. */
export class ScriptedSessions implements SessionSource {
  readonly calls: SeenCall[] = []
  /** What was said of each session that was given back. */
  readonly released: boolean[] = []
  readonly resources = new Map<string, string>()
  leases = 0
  /** Called before a lease is given. */
  beforeLease: () => void | Promise<void> = () => {}
  readonly #answer: Answer
  readonly #tools: readonly ToolInfo[]

  constructor(answer: Answer, tools: readonly ToolInfo[] = [readTool('search')]) {
    this.#answer = answer
    this.#tools = tools
  }

  /** The arguments of all calls. */
  get args(): Record<string, unknown>[] {
    return this.calls.map((call) => call.args)
  }

  async lease(_server: string, _configKey: string | null, signal: AbortSignal): Promise<SessionLease> {
    await this.beforeLease()
    signal.throwIfAborted()
    this.leases += 1
    return {
      session: this.#session(),
      release: async (reusable) => {
        this.released.push(reusable)
      },
    }
  }

  #session(): McpSession {
    return {
      server: { name: 'scripted', version: '1.0' },
      listTools: async () => this.#tools,
      callTool: async (tool: string, args: Record<string, unknown>, options: CallOptions) => {
        const { timeoutMs, signal } = options
        const call: SeenCall = { tool, args, timeoutMs, signal, number: this.calls.length + 1 }
        this.calls.push(call)
        const result = await this.#answer(call)
        signal.throwIfAborted()
        return result
      },
      readResource: async (uri) => this.resources.get(uri) ?? '',
      close: async () => {},
    }
  }
}
