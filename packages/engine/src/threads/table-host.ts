import { RunError, type TableSpec } from '@huntfleet/contract'
import type { AnswerVocabulary } from '../answer-vocabulary.ts'
import { linkUris } from '../content-blocks.ts'
import { parseExact } from '../json/parse-exact.ts'
import type { HeldAnswer } from '../mcp/held-answer.ts'
import { decodeMessages } from '../mcp/message-decoder.ts'
import { readToolResult } from '../mcp/tool-result.ts'
import { answerAt, type RequestId, type WireAnswer } from '../mcp/wire-message.ts'
import type { ParquetCompression } from '../parquet/compression.ts'
import type { ParquetEngine } from '../parquet/parquet-engines.ts'
import type { ToolResult } from '../ports.ts'
import { openTablePipeline, type TablePipeline } from '../table-pipeline.ts'
import type { PipelineCall, PipelineReply, SentMessages, SentPage, SentResult } from './thread-messages.ts'
import { packThrown } from './thrown.ts'

export interface TableHostOptions {
  spec: TableSpec
  compression: ParquetCompression
  parquetEngine: ParquetEngine
  keepPages: boolean
  vocabulary: AnswerVocabulary
  mask(text: string): string
  /** Sends bytes to the main thread; they are the receiver's then. */
  send(bytes: Uint8Array<ArrayBuffer>): void
}

/** Bytes that are written at once: what the main thread does with them (hashing) takes a few milliseconds. */
const longestWrite = 4 * 1024 * 1024

/** One table in a pipeline thread: its pipeline, the answer that it holds, and the bytes on their way to the main thread. */
export class TableHost {
  readonly #pipeline: TablePipeline
  readonly #send: TableHostOptions['send']
  #written: PromiseWithResolvers<void> | undefined
  /** The wanted answer that was decoded last, until it is read. There is one at most, so nothing piles up. */
  #held: { handle: number; result: ToolResult } | undefined
  #handles = 0

  constructor({ spec, send, ...options }: TableHostOptions) {
    this.#send = send
    const write = (bytes: Uint8Array) => this.#write(bytes)
    this.#pipeline = openTablePipeline(spec, { ...options, write })
  }

  /** Carries out a call; `signal` aborts when nobody waits for it any more. */
  async answer(call: PipelineCall, signal: AbortSignal): Promise<PipelineReply> {
    const pipeline = this.#pipeline
    switch (call.method) {
      case 'begin':
        return { method: 'begin', value: await pipeline.begin(...call.args) }
      case 'read':
        return { method: 'read', value: await this.#read(...call.args, signal) }
      case 'store':
        return { method: 'store', value: await pipeline.store(...call.args) }
      case 'seal':
        return { method: 'seal', value: await pipeline.seal() }
      case 'restore':
        return { method: 'restore', value: await pipeline.restore(...call.args) }
      case 'storeAgain': {
        const [kept, timeoutMs] = call.args
        return { method: 'storeAgain', value: await pipeline.storeAgain(kept, { timeoutMs, signal }) }
      }
      case 'counts':
        return { method: 'counts', value: await pipeline.counts(...call.args) }
      case 'finish':
        return { method: 'finish', value: await pipeline.finish(...call.args) }
      case 'rejectsFile':
        return { method: 'rejectsFile', value: await pipeline.rejectsFile(...call.args) }
      case 'decode':
        return { method: 'decode', value: decode(...call.args, (answer) => this.#hold(answer)) }
    }
  }

  /** What came of the bytes that were written last. */
  acknowledge(stored: boolean): void {
    if (stored) this.#written?.resolve()
    else this.#written?.reject(new Error('the bytes could not be stored'))
  }

  async #read(
    sent: SentResult,
    reading: Parameters<TablePipeline['read']>[1],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<SentPage> {
    const result = this.#resultOf(sent)
    this.#held = undefined
    const page = await this.#pipeline.read(result, reading, { timeoutMs, signal })
    const { step } = page
    if (step.more) return { ...page, step }
    const { error, ...rest } = step
    return { ...page, step: { ...rest, error: error === undefined ? null : packThrown(error) } }
  }

  #resultOf(sent: SentResult): ToolResult {
    switch (sent.kind) {
      case 'held':
        if (this.#held?.handle === sent.handle) return this.#held.result
        throw new RunError('INTERNAL', `the answer ${sent.handle} is not held any more`)
      case 'text':
        return readToolResult(answerAt(sent.text, sent.index, sent.bytes))
      case 'parts': {
        const { content, structured, meta, isError, bytes } = sent
        const structuredContent = structured === null ? undefined : parseExact(structured)
        return { content, structuredContent, meta, isError, bytes }
      }
    }
  }

  #hold(answer: WireAnswer): HeldAnswer {
    this.#handles += 1
    const handle = this.#handles
    this.#held = undefined
    try {
      const result = readToolResult(answer)
      this.#held = { handle, result }
      return { handle, isError: result.isError, links: linkUris(result), error: null }
    } catch (error) {
      if (!(error instanceof RunError)) throw error
      return { handle, isError: false, links: [], error }
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += longestWrite) {
      const written = Promise.withResolvers<void>()
      this.#written = written
      this.#send(new Uint8Array(bytes.subarray(at, at + longestWrite)))
      await written.promise
    }
  }
}

/** Decodes the bytes of a message. */
export function decode(
  parts: readonly Uint8Array[],
  wanted: RequestId,
  hold: (answer: WireAnswer) => HeldAnswer,
): SentMessages {
  const bytes = Buffer.concat(parts)
  const decoded = decodeMessages(bytes.toString('utf8'), bytes.length, wanted, hold)
  if (decoded.kind === 'unreadable') return decoded
  const messages = decoded.messages.map(({ message, answer }) => {
    if (answer === null || answer.held === null)
      return { message, answer: answer && { ...answer, held: null } }
    const { error } = answer.held
    return {
      message,
      answer: { ...answer, held: { ...answer.held, error: error === null ? null : packThrown(error) } },
    }
  })
  return { kind: 'messages', messages }
}
