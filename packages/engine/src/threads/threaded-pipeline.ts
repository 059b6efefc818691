import { type PageEntry, type PaginationSpec, RunError, type TableSpec } from '@huntfleet/contract'
import type { AdapterModule } from '../custom-adapters/open-adapters.ts'
import type { ParseDeadline } from '../format.ts'
import { compactJson } from '../json/compact.ts'
import { toExact } from '../json/to-exact.ts'
import type { MessageBytes } from '../mcp/message-bytes.ts'
import type { Decoded, MessageDecoder } from '../mcp/message-decoder.ts'
import { wireAnswerOf } from '../mcp/tool-result.ts'
import type { RequestId } from '../mcp/wire-message.ts'
import type { Clock, ToolResult } from '../ports.ts'
import type {
  PageRead,
  PageReceipt,
  PipelineOptions,
  PipelinePlace,
  TableCounts,
  TablePipeline,
} from '../table-pipeline.ts'
import type { ThreadLink } from './thread-link.ts'
import type {
  PageReading,
  PipelineCall,
  PipelineMethod,
  PipelineReply,
  ReplyValues,
  SentMessages,
  SentPage,
  SentResult,
} from './thread-messages.ts'
import { unpackRunError } from './thrown.ts'

export interface ThreadedPipelineOptions extends PipelineOptions {
  link: ThreadLink
  /** Number of the table in its thread. */
  table: number
  adapters: readonly AdapterModule[]
  clock: Clock
  /** How much longer than its deadline a read may take before its thread is ended, in milliseconds. */
  hangMs: number
}

/** The main thread's side of a pipeline in a thread. */
export class ThreadedPipeline implements TablePipeline {
  readonly decoder: MessageDecoder = { decode: (bytes, wanted) => this.#decode(bytes, wanted) }
  readonly #spec: TableSpec
  readonly #options: ThreadedPipelineOptions
  #failure: RunError | null = null
  /** What storing bytes threw: the thread is only told that it failed. */
  #sinkFailure: { error: unknown } | undefined

  constructor(spec: TableSpec, options: ThreadedPipelineOptions) {
    this.#spec = spec
    this.#options = options
    const { link, table, compression, parquetEngine, keepPages, adapters } = options
    link.open(
      {
        write: (bytes) => this.#write(bytes),
        lost: (error) => {
          this.#failure ??= error.with({ table: spec.table })
        },
      },
      { kind: 'open', table, spec, compression, parquetEngine, keepPages, adapters },
    )
  }

  get failure(): RunError | null {
    return this.#failure
  }

  async begin(part: number, pagination: PaginationSpec): Promise<void> {
    return await this.#ask({ method: 'begin', args: [part, pagination] })
  }

  async read(result: ToolResult, reading: PageReading, deadline: ParseDeadline): Promise<PageRead> {
    deadline.signal.throwIfAborted()
    const { timeoutMs } = deadline
    return pageOf(
      await this.#ask({ method: 'read', args: [sentResult(result), reading, timeoutMs] }, [], deadline),
    )
  }

  async store(entry: PageEntry): Promise<PageReceipt> {
    return await this.#ask({ method: 'store', args: [entry] })
  }

  async seal(): Promise<Uint8Array> {
    return await this.#ask({ method: 'seal', args: [] })
  }

  async restore(memories: readonly Uint8Array[]): Promise<PipelinePlace> {
    return await this.#ask({ method: 'restore', args: [memories] })
  }

  async storeAgain(kept: Uint8Array, deadline: ParseDeadline): Promise<PipelinePlace> {
    deadline.signal.throwIfAborted()
    return await this.#ask({ method: 'storeAgain', args: [kept, deadline.timeoutMs] }, [], deadline)
  }

  /** Of a table that is lost nothing is left to be counted. */
  async counts(): Promise<TableCounts> {
    if (this.#failure === null) return await this.#ask({ method: 'counts', args: [] })
    const columns = this.#spec.columns.map(({ name, type }) => [name, { type, nulls: 0, rejects: 0 }])
    return { rows: 0, rejects: 0, dropped: 0, duplicates: 0, columns: Object.fromEntries(columns) }
  }

  async finish(metadata: Readonly<Record<string, string>>): Promise<void> {
    return await this.#ask({ method: 'finish', args: [metadata] })
  }

  async rejectsFile(metadata: Readonly<Record<string, string>>): Promise<Uint8Array> {
    return await this.#ask({ method: 'rejectsFile', args: [metadata] })
  }

  close(): void {
    this.#options.link.closeTable(this.#options.table)
  }

  async #decode(bytes: MessageBytes, wanted: RequestId): Promise<Decoded> {
    const parts = bytes.parts.map(ownMemory)
    const buffers = parts.map(({ buffer }) => buffer)
    return decodedOf(await this.#ask({ method: 'decode', args: [parts, wanted] }, buffers))
  }

  /** Calls the thread; with a deadline, the call ends at its signal, and the thread if it hangs. */
  async #ask<M extends PipelineMethod>(
    request: Extract<PipelineCall, { method: M }>,
    transfer: readonly ArrayBuffer[] = [],
    deadline?: ParseDeadline,
  ): Promise<ReplyValues[M]> {
    try {
      const reply = await (deadline === undefined
        ? this.#options.link.call(this.#options.table, request, transfer).reply
        : this.#watched(request, deadline))
      if (isReplyTo(request.method, reply)) return reply.value
    } catch (error) {
      if (this.#sinkFailure !== undefined) throw this.#sinkFailure.error
      throw this.#failure ?? error
    }
    throw new Error(`${request.method}: the thread answered another question`)
  }

  async #watched(request: PipelineCall, { timeoutMs, signal }: ParseDeadline): Promise<PipelineReply> {
    const { link, table, clock, hangMs } = this.#options
    const aborted = Promise.withResolvers<never>()
    let cancel: (() => void) | undefined
    const allow = (ms: number) => {
      cancel?.()
      cancel = clock.after(ms, () => this.#hangs(timeoutMs))
    }
    // The thread may be busy with other tables: the time counts from when it has come to this one.
    const call = link.call(table, request, [], () => allow(timeoutMs + hangMs))
    const abort = () => {
      call.abort()
      if (cancel !== undefined) allow(hangMs)
      aborted.reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    const settled = () => {
      cancel?.()
      signal.removeEventListener('abort', abort)
    }
    call.reply.then(settled, settled)
    return await Promise.race([call.reply, aborted.promise])
  }

  /** Nothing but ending the thread stops what it does; the other tables in it begin anew. */
  #hangs(timeoutMs: number): void {
    const { table } = this.#spec
    const within = `within ${timeoutMs / 1000} s`
    this.#failure ??= new RunError('PARSE_FAILED', `reading the answer did not end ${within} and was ended`, {
      table,
      hint: 'ask for smaller pages (page_size), or raise timeout in the binding',
    })
    const others = new RunError(
      'THREAD_LOST',
      `the thread of this table was ended, because reading an answer of table ${table} did not end ${within}`,
      { hint: `correct table ${table} if it happens again` },
    )
    void this.#options.link.end(others)
  }

  async #write(bytes: Uint8Array): Promise<boolean> {
    try {
      await this.#options.write(bytes)
      return true
    } catch (error) {
      this.#sinkFailure ??= { error }
      return false
    }
  }
}

function isReplyTo<M extends PipelineMethod>(
  method: M,
  reply: PipelineReply,
): reply is PipelineReply & { method: M; value: ReplyValues[M] } {
  return reply.method === method
}

function sentResult(result: ToolResult): SentResult {
  const answer = wireAnswerOf(result)
  if (answer === undefined) {
    const { content, structuredContent, meta, isError, bytes } = result
    const structured = structuredContent == null ? null : compactJson(toExact(structuredContent))
    return { kind: 'parts', content, structured, meta, isError, bytes }
  }
  const { held, text, index, bytes } = answer
  return held === null ? { kind: 'text', text, index, bytes } : { kind: 'held', handle: held.handle }
}

function pageOf({ step, ...page }: SentPage): PageRead {
  if (step.more) return { ...page, step }
  const { error, ...rest } = step
  return { ...page, step: { ...rest, ...(error !== null && { error: unpackRunError(error) }) } }
}

function decodedOf(sent: SentMessages): Decoded {
  if (sent.kind === 'unreadable') return sent
  const messages = sent.messages.map(({ message, answer }) => {
    if (answer === null) return { message, answer }
    const { held } = answer
    if (held === null) return { message, answer: { ...answer, held } }
    const error = held.error === null ? null : unpackRunError(held.error)
    return { message, answer: { ...answer, held: { ...held, error } } }
  })
  return { kind: 'messages', messages }
}

/** The bytes in memory that is theirs alone, which another thread may take over. */
function ownMemory(part: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = part
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return new Uint8Array(buffer)
  return new Uint8Array(part)
}
