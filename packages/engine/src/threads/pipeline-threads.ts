import { availableParallelism, totalmem } from 'node:os'
import { type Masker, RunError, type TableSpec } from '@huntfleet/contract'
import type { AdapterModule } from '../custom-adapters/open-adapters.ts'
import type { Clock, Logger } from '../ports.ts'
import type { PipelineOptions, TablePipeline } from '../table-pipeline.ts'
import { ThreadLink } from './thread-link.ts'
import { ThreadedPipeline } from './threaded-pipeline.ts'

export interface PipelineThreadsOptions {
  /** Threads at most; they are started when tables need them. */
  size: number
  masker: Pick<Masker, 'secrets'>
  logger: Logger
  clock: Clock
  /** The modules of those among these adapters that are the user's own. */
  modules(names: readonly string[]): AdapterModule[]
  /** What each thread may hold in memory, in MiB; see `defaultMemoryMb`. */
  memoryMb?: number
  /** How much longer than its deadline a read may take before its thread is ended, in milliseconds; default 30 s. */
  hangMs?: number
}

/** Formats end by themselves, if slowly: only what is broken for certain is worth the other tables of a thread. */
const defaultHangMs = 30_000

/**
 * A small pool of threads in which answers become the bytes of Parquet files, so that the main thread only moves bytes.
 * A table is bound to one thread, a thread has many tables. A thread that is lost fails its tables with THREAD_LOST and
 * is replaced when the next table comes.
 */
export class PipelineThreads {
  readonly #options: PipelineThreadsOptions
  #links: ThreadLink[] = []
  #tables = 0
  #closed = false

  constructor(options: PipelineThreadsOptions) {
    this.#options = options
  }

  /** Opens a table's pipeline in the thread that has the fewest. Throws SHUTDOWN once closed. */
  open(spec: TableSpec, options: PipelineOptions): TablePipeline {
    const { clock, modules, hangMs = defaultHangMs } = this.#options
    const named = spec.fetches.flatMap(({ answer }) => (answer.adapter === null ? [] : [answer.adapter]))
    const adapters = modules(named)
    this.#tables += 1
    const link = this.#link()
    return new ThreadedPipeline(spec, { ...options, link, table: this.#tables, adapters, clock, hangMs })
  }

  /** Ends all threads; their tables end with SHUTDOWN. */
  async close(): Promise<void> {
    this.#closed = true
    const reason = new RunError('SHUTDOWN', 'the threads that read answers are closed')
    await Promise.all(this.#links.map((link) => link.close(reason)))
  }

  #link(): ThreadLink {
    if (this.#closed) throw new RunError('SHUTDOWN', 'the threads that read answers are closed')
    this.#links = this.#links.filter((link) => link.lost === null)
    const [idlest] = this.#links.toSorted((a, b) => a.tables.size - b.tables.size)
    if (idlest !== undefined && (idlest.tables.size === 0 || this.#links.length >= this.#options.size))
      return idlest
    const { masker, logger, size, memoryMb = defaultMemoryMb(size) } = this.#options
    const link = new ThreadLink({ masker, logger, memoryMb })
    this.#links.push(link)
    return link
  }
}

/** One thread less than there are cores, so that the main thread has one; at most four, at least one. */
export function defaultThreads(): number {
  return Math.max(1, Math.min(availableParallelism() - 1, 4))
}

/**
 * Half of the memory that this process may use, shared among the threads: at least 512 MiB, at most 4 GiB for each. A
 * page of 64 MB takes about 1 GiB while it is read.
 */
function defaultMemoryMb(threads: number): number {
  const limit = process.constrainedMemory()
  const available = limit > 0 ? Math.min(limit, totalmem()) : totalmem()
  return Math.round(Math.max(512, Math.min(available / 2 ** 21 / threads, 4096)))
}
