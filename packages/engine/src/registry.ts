import type { PaginationSpec, Vocabulary } from '@huntfleet/contract'
import { tabularText } from './adapters/tabular-text.ts'
import type { Format } from './format.ts'
import { csv } from './formats/csv.ts'
import { htmlTable } from './formats/html-table.ts'
import { json } from './formats/json.ts'
import { keyValue } from './formats/key-value.ts'
import { markdownTable } from './formats/markdown-table.ts'
import { ndjson } from './formats/ndjson.ts'
import { tsv } from './formats/tsv.ts'
import type { Paginator } from './paginator.ts'
import { cursor } from './paginators/cursor.ts'
import { keyset } from './paginators/keyset.ts'
import { none } from './paginators/none.ts'
import { offset } from './paginators/offset.ts'
import { page } from './paginators/page.ts'
import { timeWindow } from './paginators/time-window.ts'

/** Every extension point of the engine: add a file, its line here, its test on the shared suite, its docs page. */

/** `response_format` → parser. */
export const formats = {
  json,
  csv,
  ndjson,
  tsv,
  markdown_table: markdownTable,
  html_table: htmlTable,
  key_value: keyValue,
} as const satisfies Record<string, Format>

/** `response_adapter` → parser. */
export const adapters = { tabular_text: tabularText } as const satisfies Record<string, Format>

/** `pagination.mode` → paginator. */
export function createPaginator(spec: PaginationSpec): Paginator {
  switch (spec.mode) {
    case 'none':
      return none(spec)
    case 'offset':
      return offset(spec)
    case 'page':
      return page(spec)
    case 'cursor':
      return cursor(spec)
    case 'keyset':
      return keyset(spec)
    case 'time_window':
      return timeWindow(spec)
  }
}

const names = (table: Readonly<Record<string, Format>>): [string, ...string[]] => {
  const [first = '', ...rest] = Object.keys(table)
  return [first, ...rest]
}

/** The words that a binding may use. */
export const vocabulary: Vocabulary = { formats: names(formats), adapters: names(adapters) }
