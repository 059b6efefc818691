import type { Secret, TableSpec } from '@huntfleet/contract'
import type { AdapterModule } from '../custom-adapters/open-adapters.ts'
import type { HeldAnswer } from '../mcp/held-answer.ts'
import type { DecodedMessage } from '../mcp/message-decoder.ts'
import type { RequestId, WireAnswer } from '../mcp/wire-message.ts'
import type { LastPage, NextPage } from '../paginator.ts'
import type { ParquetCompression } from '../parquet/compression.ts'
import type { ParquetEngine } from '../parquet/parquet-engines.ts'
import type { ContentBlock, Logger } from '../ports.ts'
import type { PageRead, TablePipeline } from '../table-pipeline.ts'
import type { Thrown } from './thrown.ts'

/** What the main thread and a pipeline thread say to each other. Everything is plain data, bytes are transferred. */

/** Methods of a pipeline whose arguments and results are plain data. */
type PlainMethod = 'begin' | 'store' | 'seal' | 'restore' | 'counts' | 'finish' | 'rejectsFile'

/** A call of a pipeline's method, or of the thread's decoder on behalf of a table. */
export type PipelineCall =
  | { [M in PlainMethod]: { method: M; args: Parameters<TablePipeline[M]> } }[PlainMethod]
  | { method: 'read'; args: [result: SentResult, reading: PageReading, timeoutMs: number] }
  | { method: 'storeAgain'; args: [kept: Uint8Array, timeoutMs: number] }
  | { method: 'decode'; args: [parts: readonly Uint8Array[], wanted: RequestId] }

/** What a call brought. */
export type PipelineReply = {
  [M in PipelineMethod]: { method: M; value: ReplyValues[M] }
}[PipelineMethod]

export type PipelineMethod = PlainMethod | 'read' | 'storeAgain' | 'decode'
export type ReplyValues = { [M in PlainMethod]: Awaited<ReturnType<TablePipeline[M]>> } & {
  read: SentPage
  storeAgain: Awaited<ReturnType<TablePipeline['storeAgain']>>
  decode: SentMessages
}

export type PageReading = Parameters<TablePipeline['read']>[1]

/** A tool's answer: held by the thread already, as the text that it was read from, or in its parts. */
export type SentResult =
  | { kind: 'held'; handle: number }
  | { kind: 'text'; text: string; index: number | null; bytes: number }
  | {
      kind: 'parts'
      content: readonly ContentBlock[]
      /** JSON with every digit; null: there is none. */
      structured: string | null
      meta: unknown
      isError: boolean
      bytes: number
    }

export type SentPage = Omit<PageRead, 'step'> & {
  step: NextPage | (Omit<LastPage, 'error'> & { error: Thrown | null })
}

export type SentMessages =
  | { kind: 'messages'; messages: SentMessage[] }
  | { kind: 'unreadable'; start: string; reason: string }

type SentMessage = Omit<DecodedMessage, 'answer'> & {
  answer: (Omit<WireAnswer, 'held'> & { held: SentHeldAnswer | null }) | null
}
type SentHeldAnswer = Omit<HeldAnswer, 'error'> & { error: Thrown | null }

/** Calls of one table come one after the other; those of different tables do not wait for each other. */
export type ToThread =
  | {
      kind: 'open'
      table: number
      spec: TableSpec
      compression: ParquetCompression
      parquetEngine: ParquetEngine
      keepPages: boolean
      adapters: readonly AdapterModule[]
    }
  | { kind: 'call'; table: number; call: number; request: PipelineCall }
  /** Nobody waits for this call any more. */
  | { kind: 'abort'; call: number }
  /** What came of the bytes that the table wrote last. */
  | { kind: 'written'; table: number; stored: boolean }
  | { kind: 'secrets'; secrets: readonly Secret[] }
  | { kind: 'close'; table: number }
  /** The thread is to end itself, once the threads below it have ended. */
  | { kind: 'end' }

export type FromThread =
  /** The thread has come to this call; it may have been busy with those of other tables. */
  | { kind: 'began'; call: number }
  | { kind: 'done'; call: number; reply: PipelineReply }
  | { kind: 'failed'; call: number; error: Thrown }
  | { kind: 'write'; table: number; bytes: Uint8Array }
  | { kind: 'log'; level: keyof Logger; message: string; fields: Record<string, unknown> }
