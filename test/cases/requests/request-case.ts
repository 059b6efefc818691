import type { Json, JsonObject, Manifest } from '@huntfleet/contract'
import type { Script, ScriptedHttpOptions, Step } from '@huntfleet/testing'
import type { Cell } from '../answers/answer-case.ts'

/**
 * One black-box case: a strategy, the server that answers it, the command line, and what must come out. What a case does
 * not say is the plainest that works: the table `events` with the column `id`, fetched from the tool `search`.
 */
export interface RequestCase {
  /** A sentence of behaviour. */
  title: string
  /** Columns of `events`; `{ id: BIGINT }` by default. */
  columns?: JsonObject
  /** `params` of the contract. */
  params?: JsonObject
  /** Other tables, as the contract has them. */
  tables?: JsonObject
  /** Fields of the binding of `events` beside fetch_mode, mcp_server, mcp_tool and a short retry. */
  binding?: JsonObject
  /** The whole of source_bindings instead. */
  bindings?: JsonObject
  /** Fields of the server in huntfleet.yaml beside its address. */
  server?: JsonObject
  /** Other keys of huntfleet.yaml. `{{URL}}` in them is the address of the server. */
  project?: JsonObject
  /** Files as they are, in place of those that would be written; `{{URL}}` again. */
  files?: Readonly<Record<string, string>>
  /** Parameters, in params.json. */
  given?: Json
  /** Further arguments of the command line. */
  args?: readonly string[]
  /** The command in place of `run`; its first argument is the strategy. */
  command?: 'validate' | 'plan' | 'preview'
  /** Without `--json`, as people see it. */
  plain?: true
  /** Variables of the environment; names are unique to the case. With any, the command line is a process of its own. */
  env?: Readonly<Record<string, string>>
  /** Interrupts the command, which is a process of its own, when this call (from 1) has come in. */
  interruptAtCall?: number
  /** What `search` answers, or a whole script. One row by default. */
  answers?: readonly Step[] | Script
  /** Streamable HTTP in this process by default. */
  transport?: 'stdio'
  http?: ScriptedHttpOptions
  expect: Expected
}

export interface Expected {
  /** 0 by default. */
  exit?: number
  /** Of `events`; `complete` by default when the exit code is 0. */
  outcome?: string
  /** Of each table, where there are several. */
  outcomes?: Readonly<Record<string, string>>
  /** The first cell of every row of `events`, in order. */
  ids?: readonly Cell[]
  /** How many rows `events` has. */
  rowCount?: number
  /** Arguments of every call, in order. */
  calls?: readonly JsonObject[]
  /** Tools of every call, in order. */
  tools?: readonly string[]
  callCount?: number | readonly [least: number, most: number]
  /** What went wrong: of `events`, or of the run when nothing could start. Words are compared in lower case. */
  error?: { kind?: string; code?: string; words?: readonly string[]; place?: RegExp; issues?: number }
  proof?: string
  retries?: number
  /** Words of the notes of `events`. */
  notes?: readonly string[]
  /** Words somewhere on stdout or stderr, in lower case. */
  says?: readonly string[]
  /** What must stand nowhere on stdout, on stderr or in the manifest. */
  unsaid?: readonly (string | RegExp)[]
  /** Least milliseconds between a call (by its index from 1) and the one before. */
  waits?: Readonly<Record<number, number>>
  /** Longest the whole command may take, in milliseconds. */
  within?: number
  /** Anything else about the manifest. */
  manifest?: (manifest: Manifest) => void
}
