import type { AnswerSpec } from '@huntfleet/contract'
import type { FormatContext } from '../../src/format.ts'
import type { FieldMapping } from '../../src/source-row.ts'

const answer: AnswerSpec = {
  format: 'csv',
  adapter: null,
  contentFrom: 'auto',
  blocks: 'auto',
  skipBlocks: 0,
  matchBlocks: null,
  followLinks: false,
  extract: 'auto',
  extractAfter: null,
  extractBetween: null,
  textPath: null,
  csv: { delimiter: ',', comment: null, header: true },
  errorWhen: null,
  emptyWhen: [],
  truncatedWhen: null,
  onTruncated: 'warn',
  itemsPath: null,
  itemPath: null,
  columnsPath: null,
  cellPath: null,
  headerRow: 'none',
  singleItem: false,
  rows: 'auto',
  nullValues: [],
}

/** A context that wants the given source fields as text, with some options of the answer set. */
export function contextOf(sources: readonly string[] = [], options: Partial<AnswerSpec> = {}): FormatContext {
  const fields: FieldMapping[] = sources.map((source, index) => ({
    source,
    column: `c${index}`,
    type: 'VARCHAR',
  }))
  return { answer: { ...answer, ...options }, fields, firstPage: true, header: null }
}
