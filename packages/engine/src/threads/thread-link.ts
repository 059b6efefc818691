import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Masker, RunError } from '@huntfleet/contract'
import type { Logger } from '../ports.ts'
import { visibleText } from '../visible-text.ts'
import type { FromThread, PipelineCall, PipelineReply, ToThread } from './thread-messages.ts'
import { unpackThrown } from './thrown.ts'

export interface ThreadLinkOptions {
  /** Its secrets are the thread's too, those that it learns later included. */
  masker: Pick<Masker, 'secrets'>
  logger: Logger
  /** What the thread may hold in memory, in MiB. */
  memoryMb: number
}

/** A table as the link to its thread sees it. */
export interface LinkedTable {
  /** Takes bytes of its file; false: they could not be stored. Never rejects. */
  write(bytes: Uint8Array): Promise<boolean>
  /** The thread is gone, and with it what it held of the table. */
  lost(error: RunError): void
}

interface PendingCall {
  resolve(reply: PipelineReply): void
  reject(error: Error): void
  began(): void
}

export interface LinkedCall {
  reply: Promise<PipelineReply>
  /** Tells the thread that nobody waits for the reply any more. */
  abort(): void
}

/** How long an idle thread may take to end. */
const farewellMs = 1_000

/** The thread next to this file, in whichever language this file is itself. */
const threadUrl = new URL(`./pipeline-thread${extname(import.meta.url)}`, import.meta.url)

/** The main thread's end of one pipeline thread. The thread runs until it is ended or lost; it is not replaced here. */
export class ThreadLink {
  readonly tables = new Map<number, LinkedTable>()
  readonly #options: ThreadLinkOptions
  readonly #worker: Worker
  readonly #pending = new Map<number, PendingCall>()
  #calls = 0
  #secretsSent = 0
  #lost: RunError | null = null

  constructor(options: ThreadLinkOptions) {
    this.#options = options
    this.#worker = new Worker(threadUrl, {
      env: {},
      // Our own modules are found as they are by this file.
      execArgv: threadUrl.pathname.endsWith('.ts') ? ['--conditions=source'] : [],
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb },
      name: 'pipelines',
    })
    this.#worker.on('message', (message: FromThread) => this.#receive(message))
    this.#worker.on('error', (error) => this.#lose(lossOf(error, options.memoryMb)))
    this.#worker.on('exit', () => this.#lose(lossOf(undefined, options.memoryMb)))
    // Only a thread with work to do keeps the process alive.
    this.#worker.unref()
  }

  /** Why the thread can no longer be used; null while it can. */
  get lost(): RunError | null {
    return this.#lost
  }

  open(table: LinkedTable, message: Extract<ToThread, { kind: 'open' }>): void {
    this.tables.set(message.table, table)
    this.#post(message)
  }

  /** Sends a call; its buffers are the thread's then. `began` is called when the thread has come to it. */
  call(
    table: number,
    request: PipelineCall,
    transfer: readonly ArrayBuffer[] = [],
    began: () => void = () => {},
  ): LinkedCall {
    if (this.#lost !== null) return { reply: Promise.reject(this.#lost), abort: () => {} }
    this.#calls += 1
    const call = this.#calls
    const { promise, resolve, reject } = Promise.withResolvers<PipelineReply>()
    this.#pending.set(call, { resolve, reject, began })
    this.#worker.ref()
    this.#post({ kind: 'call', table, call, request }, transfer)
    return { reply: promise, abort: () => this.#post({ kind: 'abort', call }) }
  }

  closeTable(table: number): void {
    if (this.tables.delete(table)) this.#post({ kind: 'close', table })
  }

  /** Ends the thread, whatever it does; its tables and calls end with this error. */
  async end(reason: RunError): Promise<void> {
    this.#lose(reason)
    await this.#worker.terminate()
  }

  /** Lets the thread end itself and the threads below it, if it is quick about it; its tables end with this error. */
  async close(reason: RunError): Promise<void> {
    if (this.#lost !== null) return
    this.#post({ kind: 'end' })
    this.#worker.ref()
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve))
    this.#lose(reason)
    const timer = setTimeout(() => void this.#worker.terminate(), farewellMs)
    await ended
    clearTimeout(timer)
  }

  #post(message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    if (this.#lost !== null) return
    const { secrets } = this.#options.masker
    if (secrets.length > this.#secretsSent) {
      const message: ToThread = { kind: 'secrets', secrets: secrets.slice(this.#secretsSent) }
      this.#secretsSent = secrets.length
      this.#worker.postMessage(message)
    }
    this.#worker.postMessage(message, transfer)
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case 'began':
        this.#pending.get(message.call)?.began()
        return
      case 'done':
        this.#taken(message.call)?.resolve(message.reply)
        return
      case 'failed':
        this.#taken(message.call)?.reject(unpackThrown(message.error))
        return
      case 'write':
        void this.#write(message.table, message.bytes)
        return
      case 'log':
        this.#options.logger[message.level](message.message, message.fields)
    }
  }

  #taken(call: number): PendingCall | undefined {
    const pending = this.#pending.get(call)
    this.#pending.delete(call)
    if (this.#pending.size === 0) this.#worker.unref()
    return pending
  }

  async #write(table: number, bytes: Uint8Array): Promise<void> {
    const stored = (await this.tables.get(table)?.write(bytes)) ?? false
    this.#post({ kind: 'written', table, stored })
  }

  #lose(error: RunError): void {
    if (this.#lost !== null) return
    this.#lost = error
    for (const table of this.tables.values()) table.lost(error)
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}

function lossOf(error: unknown, memoryMb: number): RunError {
  return new RunError(
    'THREAD_LOST',
    `the thread that reads the answers of this table ${how(error, memoryMb)}`,
    {
      hint: 'if it happens again, ask for smaller pages (page_size) or run fewer tables at once (--concurrency)',
    },
    error,
  )
}

function how(error: unknown, memoryMb: number): string {
  if (!(error instanceof Error)) return 'ended by itself'
  if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return `needed more than ${memoryMb} MiB of memory and was ended`
  return `broke: ${visibleText(error.message, 2_000)}`
}
