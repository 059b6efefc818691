/**
 * The language of scripted MCP servers: what the server offers and what it answers, as plain JSON, so that a test or a
 * demo states exactly what a source said. The first step of a tool that matches and is not used up answers.
 */
export interface Script {
  /** Speaks nothing but this revision of MCP; any of 2025 and before when absent. */
  protocol?: '2026-07-28'
  tools?: readonly ScriptedTool[]
  /** Steps per tool, in order of preference. */
  script: Readonly<Record<string, readonly Step[]>>
  /** What `resources/read` gives, by URI. */
  resources?: Readonly<Record<string, { text?: string; blob?: string; mimeType?: string }>>
  /** Tools per page of `tools/list`; all on one page when absent. */
  toolsPerPage?: number
  /** Answers `initialize` in place of the usual result: a fault, a delay, a strange protocol version. */
  initialize?: Step
  /** How the stdio program behaves besides answering. */
  process?: ProcessHabits
}

/** A tool as `tools/list` shows it, verbatim; `inputSchema` defaults to any object. */
export interface ScriptedTool {
  name: string
  [key: string]: unknown
}

/** Bad habits of real stdio servers. */
export interface ProcessHabits {
  /** Printed on stdout before anything else: banners and logs where only JSON-RPC belongs. */
  banner?: string
  /** Goes on running when its stdin ends. */
  ignoreStdinEnd?: boolean
  ignoreSigterm?: boolean
  /** Starts a child process that outlives its parent unless the whole group is killed. */
  spawnsChild?: boolean
  /** Ends at once with this exit code, after `stderr`. */
  exitAtStart?: number
  /** Written to stderr at the start. */
  stderr?: string
}

/** What one `tools/call` gets. Everything is optional; a step with no answer at all is an empty result. */
export interface Step {
  /**
   * Dot-paths of the arguments and the values they must have; `{"$absent": true}` demands that the path is missing.
   */
  when?: Readonly<Record<string, unknown>>
  /** Used at most so many times; for ever when absent. */
  times?: number

  /** One or several text blocks. */
  text?: string | readonly string[]
  /** A text block that holds this value as JSON. */
  json?: unknown
  /** A text block with a file's text; the path is relative to the script. */
  file?: string
  /** A text block of so many characters. */
  padBytes?: number
  /** `structuredContent`, alone or beside the blocks. */
  structured?: unknown
  /** A page of a generated table. */
  table?: GeneratedTable
  isError?: boolean
  /** The whole `CallToolResult`, verbatim. */
  result?: unknown
  /** The whole result as JSON text, for what JavaScript cannot spell (big integers, `1.50`). */
  resultText?: string
  /** A JSON-RPC error instead of a result. */
  rpcError?: { code: unknown; message: string; data?: unknown }

  delayMs?: number
  /** Never answers. */
  hang?: boolean
  /** The process ends with this code (HTTP: every connection is cut). */
  exit?: number
  /** stdio only: answers, then the process ends with this code. */
  exitAfter?: number
  /** Bytes written to stderr before the answer, or the text itself. */
  stderr?: number | string
  /** Lines on stdout before the answer that are not JSON-RPC. */
  noise?: string
  /** Progress notifications before the answer, where the caller asked for them. */
  progress?: { times: number; everyMs: number }
  /** Sends the answer in so many pieces. */
  drip?: { pieces: number; everyMs: number }

  /** HTTP only: an answer of this status; `text` is its body. */
  httpStatus?: number
  headers?: Readonly<Record<string, string>>
  /** HTTP only: a 307 to this address. */
  redirect?: string
  fault?: Fault
}

/**
 * How the answer goes wrong on its way.
 * `drop_socket`: nothing comes and the connection ends (stdio: the process is gone). `cut_body`: half of it comes.
 * `end_stream`: the body ends properly, without the answer. `not_json`: the right content type and a page of HTML.
 * `html`: a login page. `lose_session`: the session is forgotten, then 404. `gzip_bomb`: 256 MiB of spaces in 256 kB.
 * `session_not_found`: a JSON-RPC error -32001 with these words, as some servers answer an unknown session.
 */
export type Fault =
  | 'drop_socket'
  | 'cut_body'
  | 'end_stream'
  | 'not_json'
  | 'html'
  | 'lose_session'
  | 'gzip_bomb'
  | 'session_not_found'

/** Rows made from a template, so that a script of ten lines serves a hundred thousand of them. */
export interface GeneratedTable {
  rows: number
  /** Any JSON; `$i` in its strings is the row's number from 0, also `$i%7`, `$i*60`, `$i+1`; alone it is a number. */
  row: unknown
  page?: TablePaging
  /** Keys of the envelope; without `items` the page is a bare array. */
  envelope?: { items?: string; total?: string; nextCursor?: string; hasMore?: string }
  /** How the page is written; default json. `csv` and `ndjson` have no envelope. */
  as?: 'json' | 'structured' | 'csv' | 'ndjson'
}

/** Which arguments choose the page. Limits above `maxLimit` are clamped silently, as many servers do. */
export type TablePaging =
  | { by: 'offset'; offset: string; limit: string; defaultLimit?: number; maxLimit?: number }
  | { by: 'page'; page: string; limit: string; start?: number; defaultLimit?: number; maxLimit?: number }
  | { by: 'cursor'; cursor: string; limit: string; defaultLimit?: number; maxLimit?: number }

/** A call that the server received. */
export interface ScriptedCall {
  /** Milliseconds since the epoch. */
  t: number
  tool: string
  args: Record<string, unknown>
  /** Index of the step that answered, -1 if none did. */
  step: number
}
