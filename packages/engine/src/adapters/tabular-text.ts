import { RunError } from '@huntfleet/contract'
import type { Format } from '../format.ts'
import { saysNoResults } from '../formats/no-results.ts'
import { emptyPage, linesOf, pageText } from '../formats/page-text.ts'
import { excerpt } from '../visible-text.ts'
import { isListHeader } from './list-answer.ts'
import { parseTabularList } from './tabular-list.ts'
import { findPipeTable, parseTabularPipe } from './tabular-pipe.ts'

/**
 * Answers of query tools in the two forms of the seeds: a pipe table under `Columns: a | b` and a separator, or Python
 * lists under `Column Names: a, b` (SPEC section 10). A line that starts with `Column Names:` makes it the list form,
 * unless a whole pipe header stands above it: then that line is a row of the table.
 * Throws PARSE_FAILED when there is neither, except for a text that says that there are no rows.
 */
export const tabularText: Format = (text, context) => {
  const source = pageText(text)
  if (source.trim() === '') return emptyPage(source)
  const lines = linesOf(source)
  const pipeTable = findPipeTable(lines)
  const listHeader = lines.findIndex(isListHeader)
  if (pipeTable !== null && (listHeader < 0 || pipeTable.separator < listHeader)) {
    return parseTabularPipe(lines, pipeTable, context)
  }
  if (listHeader >= 0) return parseTabularList(lines, context)
  if (saysNoResults(source)) return emptyPage(source)
  throw new RunError(
    'PARSE_FAILED',
    `tabular_text: could not find column headers; the text starts ${excerpt(source)}`,
    {
      hint: 'expected "Columns: a | b" with a line "---" below it, or "Column Names: a, b"; error_when and empty_when say what other texts mean',
    },
  )
}
