import { RunError } from '@huntfleet/contract'
import type { Format } from '../format.ts'
import { parseDelimited } from './delimited-text.ts'

/**
 * Comma-separated values, RFC 4180 read leniently (SPEC sections 9, 10, 15); the delimiter, comment lines and the
 * header are options of the binding. An empty cell is null, a quoted empty one is the empty string.
 * Throws PARSE_FAILED when the header is broken or the table is another one than the wanted.
 */
export const csv: Format = (text, context) => {
  const { delimiter, comment, header } = context.answer.csv
  if (delimiter === '' || /["\r\n]/.test(delimiter)) {
    throw new RunError('BINDING_INVALID', `csv.delimiter is ${JSON.stringify(delimiter)}`, {
      path: 'csv.delimiter',
      hint: 'use a character that is no quote and no line end, for example ";"',
    })
  }
  return parseDelimited(text, { format: 'csv', delimiter, comment, header }, context)
}
