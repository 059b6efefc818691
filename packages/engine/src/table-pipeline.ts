import type { PageEntry, PaginationSpec, RunError, TableEntry, TableSpec } from '@huntfleet/contract'
import type { AnswerVocabulary } from './answer-vocabulary.ts'
import type { ParseDeadline } from './format.ts'
import { type KeptPage, packPage, unpackPage } from './kept-page.ts'
import { sourceName } from './mapping.ts'
import type { MessageDecoder } from './mcp/message-decoder.ts'
import { pageFacts } from './page-facts.ts'
import type { LastPage, NextPage, PageState, Paginator } from './paginator.ts'
import type { ParquetCompression } from './parquet/compression.ts'
import { type ParquetEngine, parquetEngines } from './parquet/parquet-engines.ts'
import type { ParquetWriter } from './parquet/parquet-writer.ts'
import { packMemory, unpackMemory } from './part-memory.ts'
import type { ToolResult } from './ports.ts'
import { type AnswerPage, readAnswer } from './read-answer.ts'
import { createPaginator } from './registry.ts'
import type { FieldMapping } from './source-row.ts'
import { TableStage } from './table-stage.ts'

/** How an answer is to be read. Plain data. */
interface PageReading {
  /** Index of the fetch that the answer belongs to. */
  part: number
  /** The paginator's state that the answer was asked for with. */
  state: PageState
  firstPage: boolean
  /** The header row of an earlier page of the fetch. */
  header: readonly string[] | null
  /** Texts of the resources that the answer links to, when the binding follows links. */
  links: readonly string[]
}

/** What the fetch must know of an answer that was read. Plain data. */
export interface PageRead {
  /** Items the source sent, before mapping and rejects. */
  items: number
  /** Size of the answer on the wire, in bytes. */
  bytes: number
  notes: readonly string[]
  header: readonly string[] | null
  /** The source's own words that it sent less than it has. */
  truncation: string | null
  /** What the paginator makes of the page. */
  step: NextPage | LastPage
}

/** What became of one page that was stored. */
export interface PageReceipt {
  /** Rows were left out because `max_rows` is reached. */
  cut: boolean
  /** Exactly `max_rows` rows are staged. */
  full: boolean
  /** Rows of the table so far. */
  rows: number
  /** Whether every row so far is recognised when it comes again, and left out. */
  knowsDoubles: boolean
  /** The page as it was received, for `storeAgain`; null unless pages are kept. */
  kept: Uint8Array | null
}

/** How far a pipeline is that goes on behind another. */
export interface PipelinePlace {
  rows: number
  knowsDoubles: boolean
  /** The pages that are in it. */
  ledger: readonly PageEntry[]
}

/** What has become of the rows so far. */
export interface TableCounts {
  rows: number
  rejects: number
  dropped: number
  duplicates: number
  columns: TableEntry['columns']
}

/**
 * The way of one table's rows, from the answers of its sources to the bytes of its Parquet file: formats and adapters,
 * pagination, mapping, coercion, encoding. Knows no network and no storage, and keeps its caller's order: a call is
 * awaited before the next one.
 */
export interface TablePipeline {
  /** Decodes big answers where the pipeline is; null: it is in this thread. */
  readonly decoder: MessageDecoder | null
  /** Set when the pipeline is gone with all that it held: every call fails, but `counts`, which are all 0. */
  readonly failure: RunError | null
  /** Begins a fetch of the table, with pagination as it is in force. */
  begin(part: number, pagination: PaginationSpec): Promise<void>
  /**
   * Reads an answer; its rows wait for `store`, or are left out by the next `read`. Throws what is wrong with the
   * answer as `readAnswer` does.
   */
  read(result: ToolResult, reading: PageReading, deadline: ParseDeadline): Promise<PageRead>
  /** Stores the page that was read last; throws ROW_REJECTED, and what the sink throws. */
  store(entry: PageEntry): Promise<PageReceipt>
  /**
   * Ends the part of the file that is open: when it resolves, all bytes of the rows so far have been written. Resolves
   * with what must be remembered of the part, for `restore`.
   */
  seal(): Promise<Uint8Array>
  /** Goes on behind the sealed parts of another pipeline of the same table, in their order. To be called first. */
  restore(memories: readonly Uint8Array[]): Promise<PipelinePlace>
  /**
   * Stores a page that another pipeline has kept. Throws when the bytes are no such page, or when not all of its items
   * come out of it again.
   */
  storeAgain(kept: Uint8Array, deadline: ParseDeadline): Promise<PipelinePlace>
  counts(): Promise<TableCounts>
  /** Writes the remaining rows and the footer with its key-value metadata. */
  finish(metadata: Readonly<Record<string, string>>): Promise<void>
  /** The rejects as a Parquet file of their own. */
  rejectsFile(metadata: Readonly<Record<string, string>>): Promise<Uint8Array>
  /** The table has ended; what is held of it is let go. */
  close(): void
}

export interface PipelineOptions {
  compression: ParquetCompression
  parquetEngine: ParquetEngine
  /** Whether `store` gives out each page as it was received. */
  keepPages: boolean
  /** Takes the file's bytes over, in order; resolves when more may come. */
  write(bytes: Uint8Array): Promise<void>
}

/** Opens the pipeline of a table, in this thread or another. */
export type OpenPipeline = (spec: TableSpec, options: PipelineOptions) => TablePipeline

export interface TablePipelineOptions extends PipelineOptions {
  vocabulary: AnswerVocabulary
  /** Hides secrets in the rejects; rows are stored as the source sent them. */
  mask(text: string): string
}

/** A pipeline in this thread. */
export function openTablePipeline(spec: TableSpec, options: TablePipelineOptions): TablePipeline {
  return new LocalPipeline(spec, options)
}

class LocalPipeline implements TablePipeline {
  readonly decoder = null
  readonly failure = null
  readonly #spec: TableSpec
  readonly #vocabulary: AnswerVocabulary
  readonly #writer: ParquetWriter
  readonly #stage: TableStage
  readonly #fields: readonly FieldMapping[][]
  readonly #keepPages: boolean
  #paginator: Paginator | undefined
  #page: { page: AnswerPage; received: Omit<KeptPage, 'entry'> } | undefined
  /** Pages since the last `seal`. */
  #ledger: PageEntry[] = []

  constructor(spec: TableSpec, options: TablePipelineOptions) {
    const { compression, parquetEngine, vocabulary, keepPages, mask, write } = options
    this.#spec = spec
    this.#vocabulary = vocabulary
    this.#keepPages = keepPages
    this.#writer = parquetEngines[parquetEngine](spec.columns, write, { codec: compression })
    this.#stage = new TableStage(spec, this.#writer, mask)
    this.#fields = spec.fetches.map(({ mapping }) =>
      spec.columns.map(({ name, type }, i) => ({ source: sourceName(mapping[i] ?? []), column: name, type })),
    )
  }

  async begin(_part: number, pagination: PaginationSpec): Promise<void> {
    this.#paginator = createPaginator(pagination)
  }

  async read(result: ToolResult, reading: PageReading, deadline: ParseDeadline): Promise<PageRead> {
    const { part, state, ...received } = reading
    const paginator = this.#paginator
    if (paginator === undefined) throw new Error(`fetch ${part} was not begun`)
    this.#page = undefined
    const page = await this.#read(part, { ...received, result }, deadline)
    this.#page = { page, received: { ...received, result } }
    const step = paginator.next(state, pageFacts(page))
    const { items, bytes, notes, header, truncation } = page
    return { items, bytes, notes, header, truncation, step }
  }

  #read(part: number, page: Omit<KeptPage, 'entry'>, deadline: ParseDeadline): Promise<AnswerPage> {
    const { result, firstPage, header, links } = page
    const fetch = this.#spec.fetches[part]
    if (fetch === undefined) throw new Error(`there is no fetch ${part}`)
    const fields = this.#fields[part] ?? []
    const request = { answer: fetch.answer, fields, firstPage, header, links, deadline }
    return readAnswer(result, request, this.#vocabulary)
  }

  async store(entry: PageEntry): Promise<PageReceipt> {
    if (this.#page === undefined) throw new Error('there is no page to store')
    const { page, received } = this.#page
    this.#page = undefined
    const { cut, full } = await this.#stage.receive(page, entry)
    this.#ledger.push(entry)
    const kept = this.#keepPages ? await packPage({ ...received, entry }) : null
    const { rows, knowsDoubles } = this.#stage
    return { cut, full, rows, knowsDoubles, kept }
  }

  async seal(): Promise<Uint8Array> {
    const groups = await this.#writer.seal()
    const ledger = this.#ledger
    this.#ledger = []
    return await packMemory({ ledger, stage: this.#stage.memory(), groups })
  }

  async restore(packed: readonly Uint8Array[]): Promise<PipelinePlace> {
    const memories = await Promise.all(packed.map(unpackMemory))
    this.#writer.restore(memories.map(({ groups }) => groups))
    this.#stage.restore(memories.map(({ stage }) => stage))
    return this.#place(memories.flatMap(({ ledger }) => ledger))
  }

  async storeAgain(kept: Uint8Array, deadline: ParseDeadline): Promise<PipelinePlace> {
    const received = await unpackPage(kept)
    const { entry } = received
    const page = await this.#read(entry.part, received, deadline)
    if (page.items !== entry.items)
      throw new Error(`page ${entry.page} had ${entry.items} items and is read as ${page.items} now`)
    await this.#stage.receive(page, entry)
    this.#ledger.push(entry)
    return this.#place([entry])
  }

  #place(ledger: readonly PageEntry[]): PipelinePlace {
    const { rows, knowsDoubles } = this.#stage
    return { rows, knowsDoubles, ledger }
  }

  async counts(): Promise<TableCounts> {
    const { rows, rejects, dropped, duplicates } = this.#stage
    return { rows, rejects: rejects.total, dropped, duplicates, columns: this.#stage.columns() }
  }

  async finish(metadata: Readonly<Record<string, string>>): Promise<void> {
    await this.#writer.finish(metadata)
  }

  rejectsFile(metadata: Readonly<Record<string, string>>): Promise<Uint8Array> {
    return this.#stage.rejects.toParquet(metadata)
  }

  close(): void {}
}
