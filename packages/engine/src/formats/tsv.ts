import type { Format } from '../format.ts'
import { parseDelimited } from './delimited-text.ts'

/** Tab-separated values: as csv, with a tab whatever `csv.delimiter` says; `csv.comment` and `csv.header` apply. */
export const tsv: Format = (text, context) => {
  const { comment, header } = context.answer.csv
  return parseDelimited(text, { format: 'tsv', delimiter: '\t', comment, header }, context)
}
