import { readFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { RunError, type TableEntry, type TableSpec } from '@huntfleet/contract'
import { parquetReadObjects } from 'hyparquet'
import type { AnswerVocabulary } from '../../src/answer-vocabulary.ts'
import { readToolResult } from '../../src/mcp/tool-result.ts'
import { isRecord } from '../../src/mcp/wire-message.ts'
import type { ToolResult } from '../../src/ports.ts'
import { ScriptedSessions } from '../scripted-sessions.ts'
import { run } from '../table-run.ts'

export const answersFolder = new URL('answers/', import.meta.url)

/** What became of a table whose source gave some answers and then fell silent: the form of a file of `expected/`. */
export interface GalleryRun {
  /** `<product>.<table>` of examples/bindings. */
  table: string
  /** Files of `answers/`, in the order in which the source gives them. */
  answers: string[]
  calls: { tool: string; args: Record<string, unknown> }[]
  outcome: TableEntry['outcome']
  reason: string
  proof: TableEntry['proof']
  rows: Record<string, unknown>[] | null
  rejects: Record<string, unknown>[]
  notes: string[]
  error: { code: string; message: string; hint?: string } | null
}

/**
 * Runs a table as a worker does, against a source that gives these answers. A call beyond the last answer is recorded
 * and cancels the run: the outcome `cancelled` means that the source was asked for more.
 */
export async function runAnswers(
  table: string,
  spec: TableSpec,
  answers: readonly string[],
  vocabulary: AnswerVocabulary,
): Promise<GalleryRun> {
  const cancellation = new AbortController()
  const results = answers.map(readAnswerFile)
  const sessions = new ScriptedSessions(({ number }) => {
    const result = results[number - 1]
    if (result !== undefined) return result
    cancellation.abort(new RunError('CANCELLED', 'the gallery has no further answer'))
    throw cancellation.signal.reason
  }, [])
  // A passing failure is tried again until the budget is spent; here its first answer is the last.
  const once = {
    ...spec,
    fetches: spec.fetches.map((fetch) => ({ ...fetch, retry: { ...fetch.retry, attempts: 1 } })),
  }
  const { entry, ports } = await run(once, sessions, { vocabulary, signal: cancellation.signal })
  const read = async (path: string | null) => {
    const bytes = path === null ? null : await ports.store.get(path)
    return bytes === null ? null : await readParquet(bytes)
  }
  return {
    table,
    answers: [...answers],
    calls: sessions.calls.map(({ tool, args }) => ({ tool, args })),
    outcome: entry.outcome,
    reason: entry.reason,
    proof: entry.proof,
    rows: await read(entry.path),
    rejects: (await read(entry.rejects_path)) ?? [],
    notes: entry.notes,
    error: entry.error === null ? null : errorOf(entry.error),
  }
}

function errorOf({
  code,
  message,
  hint,
}: NonNullable<TableEntry['error']>): NonNullable<GalleryRun['error']> {
  return { code, message, ...(hint !== undefined && { hint }) }
}

/** `*.result.json` is a whole result as it came over the wire, any other file the text of its only block. */
function readAnswerFile(name: string): ToolResult {
  const text = readFileSync(new URL(name, answersFolder), 'utf8')
  const result: unknown = name.endsWith('.result.json')
    ? JSON.parse(text)
    : { content: [{ type: 'text', text }] }
  if (!isRecord(result)) throw new Error(`${name} is no result`)
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, result })
  return readToolResult({ result, text: message, index: null, bytes: message.length, held: null })
}

/** A file's rows as plain JSON: times as ISO 8601 with microseconds, big integers and NaN as text. */
async function readParquet(bytes: Uint8Array): Promise<Record<string, unknown>[]> {
  const file = Uint8Array.from(bytes).buffer
  const rows = await parquetReadObjects({
    file,
    compressors: { ZSTD: (page) => zstdDecompressSync(page) },
    parsers: {
      timestampFromMicroseconds: (micros: bigint) => isoText(micros),
      jsonFromBytes: (text: Uint8Array) => new TextDecoder().decode(text),
    },
  })
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
  )
}

function isoText(micros: bigint): string {
  const fraction = String(micros % 1_000_000n).padStart(6, '0')
  return `${new Date(Number(micros / 1_000_000n) * 1_000).toISOString().slice(0, 19)}.${fraction}Z`
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : (value ?? null)
}
