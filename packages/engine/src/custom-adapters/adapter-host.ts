import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { RunError } from '@huntfleet/contract'
import type { ParseDeadline } from '../format.ts'
import type { Clock, Logger } from '../ports.ts'
import { visibleText } from '../visible-text.ts'
import type { AdapterRows } from './adapter-rows.ts'
import type { AdapterCall, AdapterReply } from './adapter-thread.ts'
import type { ErrorPlace } from './error-place.ts'

export interface AdapterHostOptions {
  name: string
  /** The module as the user named it, for messages. */
  file: string
  url: URL
  clock: Clock
  logger: Logger
  /** What the adapter may hold in memory, in MiB; default 512. */
  memoryMb?: number
}

/** How long a module may take to load. */
const loadTimeoutMs = 30_000
/** Many times the largest page. */
const defaultMemoryMb = 512
const longestMessage = 2_000

/** The thread next to this file, in whichever language this file is itself. */
const threadUrl = new URL(`./adapter-thread${extname(import.meta.url)}`, import.meta.url)

/** How an exchange with the thread ended when it brought no reply. */
type Ending = { kind: 'overdue' } | { kind: 'aborted'; reason: unknown } | { kind: 'ended'; error: unknown }

/**
 * One adapter of the user in a thread of its own, which can be ended whatever the adapter does (SPEC section 16.7).
 * The thread is started when it is first needed, serves one call at a time, and is replaced after it was ended. It sees
 * no environment variables, and what it prints goes to the log.
 */
export class AdapterHost {
  readonly #options: AdapterHostOptions
  readonly #memoryMb: number
  #thread: Worker | undefined
  /** Ends with the last call that was asked for. */
  #tail: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(options: AdapterHostOptions) {
    this.#options = options
    this.#memoryMb = options.memoryMb ?? defaultMemoryMb
  }

  /** Starts the thread and imports the module; throws PROJECT_INVALID when that fails. */
  load(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#started(new AbortController().signal)
    })
  }

  /**
   * The rows of a text. Throws PARSE_FAILED with the adapter's own words when it throws, hangs or ends its thread, and
   * the signal's reason when that aborts.
   */
  call(call: AdapterCall, deadline: ParseDeadline): Promise<AdapterRows> {
    return this.#inTurn(async () => {
      const thread = await this.#started(deadline.signal)
      const reply = await this.#exchange(thread, call, deadline)
      if (reply.kind === 'rows') return reply.rows
      throw this.#failure(reply, deadline)
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#end()
  }

  /** Calls wait for each other here rather than in the thread, so that the clock of a call starts with its own work. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(work)
    this.#tail = turn.catch(() => {})
    return turn
  }

  async #started(signal: AbortSignal): Promise<Worker> {
    signal.throwIfAborted()
    if (this.#thread !== undefined) return this.#thread
    if (this.#closed) throw new RunError('SHUTDOWN', `the adapter ${this.#options.name} is closed`)
    const thread = this.#start()
    const reply = await this.#exchange(thread, undefined, { timeoutMs: loadTimeoutMs, signal })
    if (reply.kind === 'loaded') return thread
    await this.#end()
    if (reply.kind === 'aborted') throw reply.reason
    throw this.#loadFailure(reply)
  }

  #start(): Worker {
    const { name, url, logger } = this.#options
    const thread = new Worker(threadUrl, {
      workerData: url.href,
      env: {},
      // Our own modules are found as they are by this file; none of this process's flags are for the adapter.
      execArgv: threadUrl.pathname.endsWith('.ts') ? ['--conditions=source'] : [],
      resourceLimits: { maxOldGenerationSizeMb: this.#memoryMb },
      stdout: true,
      stderr: true,
      name: `adapter ${name}`,
    })
    for (const stream of [thread.stdout, thread.stderr]) {
      stream.on('data', (said: unknown) =>
        logger.debug('an adapter printed', {
          adapter: name,
          said: visibleText(String(said), longestMessage),
        }),
      )
    }
    const forget = () => {
      if (this.#thread === thread) this.#thread = undefined
    }
    // Without a listener an error of an idle adapter (a timer that it left behind) would end this process.
    thread.on('error', forget)
    thread.on('exit', forget)
    this.#thread = thread
    return thread
  }

  /** Sends a call (or waits for the first word) until there is a reply, the time is up or the thread is gone. */
  async #exchange(
    thread: Worker,
    call: AdapterCall | undefined,
    { timeoutMs, signal }: ParseDeadline,
  ): Promise<AdapterReply | Ending> {
    const { promise, resolve } = Promise.withResolvers<AdapterReply | Ending>()
    const abort = () => resolve({ kind: 'aborted', reason: signal.reason })
    const failed = (error: unknown) => resolve({ kind: 'ended', error })
    const exited = () => resolve({ kind: 'ended', error: undefined })
    const cancelTimer = this.#options.clock.after(timeoutMs, () => resolve({ kind: 'overdue' }))
    signal.addEventListener('abort', abort)
    thread.once('message', resolve).once('error', failed).once('exit', exited)
    // Only a thread with work to do keeps the process alive.
    thread.ref()
    if (call !== undefined) thread.postMessage(call)
    const reply = await promise
    cancelTimer()
    signal.removeEventListener('abort', abort)
    thread.off('message', resolve).off('error', failed).off('exit', exited)
    thread.unref()
    if (reply.kind === 'overdue' || reply.kind === 'aborted' || reply.kind === 'ended') await this.#end()
    return reply
  }

  async #end(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    await thread?.terminate()
  }

  /** Why a call brought no rows. */
  #failure(reply: Exclude<AdapterReply | Ending, { kind: 'rows' }>, { timeoutMs }: ParseDeadline): unknown {
    if (reply.kind === 'aborted') return reply.reason
    const { name, file } = this.#options
    const failed = (words: string, place: ErrorPlace | null, hint: string) =>
      new RunError('PARSE_FAILED', `adapter ${name}: ${words}`, { ...this.#placeOf(place), hint })
    const hint = `huntfleet adapter test ${name} SAMPLE shows what it makes of a text`
    switch (reply.kind) {
      case 'failed':
        return failed(visibleText(reply.message, longestMessage), reply.place, hint)
      case 'overdue':
        return failed(
          `it did not finish within ${timeoutMs / 1000} s and was ended`,
          null,
          `look for a loop or a slow regular expression in ${file}, or raise timeout in the binding`,
        )
      default:
        return failed(endedWords(reply, this.#memoryMb), null, hint)
    }
  }

  #loadFailure(reply: AdapterReply | Ending): RunError {
    const { name, file } = this.#options
    const words =
      reply.kind === 'failed'
        ? visibleText(reply.message, longestMessage)
        : reply.kind === 'overdue'
          ? `it was not loaded within ${loadTimeoutMs / 1000} s`
          : endedWords(reply, this.#memoryMb)
    return new RunError('PROJECT_INVALID', `adapters.${name}: ${file} cannot be used: ${words}`, {
      ...this.#placeOf(reply.kind === 'failed' ? reply.place : null),
      path: `adapters.${name}`,
      hint: 'the module must export default (text, fields) => rows; run it with node to see what is wrong',
    })
  }

  /** The place in the adapter's module under the name that the user gave it; elsewhere the file's own. */
  #placeOf(place: ErrorPlace | null): { file: string; line?: number; column?: number } {
    const { file, url } = this.#options
    if (place === null) return { file }
    const shown = place.file === decodeURIComponent(url.pathname) ? file : place.file
    return { file: shown, line: place.line, ...(place.column !== undefined && { column: place.column }) }
  }
}

/** What became of a thread that is gone. */
function endedWords(reply: AdapterReply | Ending, memoryMb: number): string {
  const error = reply.kind === 'ended' ? reply.error : undefined
  if (!(error instanceof Error)) return 'it ended its thread (process.exit?)'
  if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return `it needs more than ${memoryMb} MiB of memory and was ended`
  }
  return `it failed outside of a call: ${visibleText(error.message, longestMessage)}`
}
