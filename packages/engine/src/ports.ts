import type { MessageDecoder } from './mcp/message-decoder.ts'

/** What the engine asks of the world. Everything else it does by itself. */

/** Time. Tests advance it by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Calls `action` after `ms` unless the returned function is called first. */
  after(ms: number, action: () => void): () => void
}

/** A log line: a message and fields. Secrets are masked by the implementation, by value. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

/** A content block of a tool's answer, as far as we look at it. */
export interface ContentBlock {
  type: string
  text?: string
  uri?: string
  mimeType?: string
}

/** A `CallToolResult`, read leniently: unknown block types and keys are kept out of the way, never an error. */
export interface ToolResult {
  content: readonly ContentBlock[]
  /** As the SDK parsed it; undefined when the tool sent none. */
  structuredContent: unknown
  meta: unknown
  isError: boolean
  /** Size of the answer on the wire, in bytes. */
  bytes: number
}

/** A tool as its server lists it. */
export interface ToolInfo {
  name: string
  description: string
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>
  /** null: the server says nothing. */
  readOnly: boolean | null
}

export interface CallOptions {
  timeoutMs: number
  signal: AbortSignal
  /** Decodes the answer if it is big, and keeps it; absent: it is decoded here. Sessions may ignore it. */
  decoder?: MessageDecoder
}

/** An open connection to one MCP server, used by one fetch at a time. */
export interface McpSession {
  readonly server: { name: string; version: string } | null
  /** All pages of `tools/list`, merged; asked once per session. */
  listTools(options: CallOptions): Promise<readonly ToolInfo[]>
  /**
   * Resolves with the tool's answer, also when `isError` is set; throws a classified `RunError` (SPEC section 7) for
   * anything that is not an answer.
   */
  callTool(tool: string, args: Record<string, unknown>, options: CallOptions): Promise<ToolResult>
  /** Text of a resource, read through the same session. */
  readResource(uri: string, options: CallOptions): Promise<string>
  close(): Promise<void>
}

export interface SessionLease {
  readonly session: McpSession
  /**
   * Gives the session back. `reusable` is true after a success or a clean tool error only; anything else closes the
   * connection, because only closing stops a transfer (research on SDK 1.32).
   */
  release(reusable: boolean): Promise<void>
}

/** Where sessions come from. The names are those of the project file. */
export interface SessionSource {
  /** Waits for a free slot of the server's `limits`; throws `RunError` when the server cannot be reached or started. */
  lease(server: string, configKey: string | null, signal: AbortSignal): Promise<SessionLease>
}
