import type { Json } from './json-value.ts'
import { isScalar, kindOfValue, plainText } from './plain-text.ts'
import { RunError } from './run-error.ts'

/**
 * How values are written into query languages, so that a value stays a value. A scalar is meant for the inside of quotes
 * that the author wrote, a list becomes a list of literals with their own quotes.
 */

/** Renders a scalar for the inside of quotes, or a list as literals. */
export type QueryQuoting = (value: Json) => string

/**
 * SQL string literals (ISO/IEC 9075-2, 5.3 <literal>): a quote is doubled and nothing else is special. Dialects that also
 * escape with backslashes (MySQL, ClickHouse, Snowflake) would read `\'` as a quote, so that a backslash is refused until
 * the author says by `sql("backslash")` that his dialect is one of them. Dialects without the doubled quote (BigQuery,
 * Spark) are not served by this filter.
 */
export function sqlQuoting(backslashEscapes: boolean): QueryQuoting {
  const quoted = (text: string) => {
    if (text.includes('\0')) throw refused('sql', 'a NUL character ends the query text in many databases')
    if (backslashEscapes) return text.replaceAll('\\', '\\\\').replaceAll("'", "''")
    if (!text.includes('\\')) return text.replaceAll("'", "''")
    throw refused(
      'sql',
      `${shown(text)} has a backslash, which some dialects read as an escape`,
      'write sql("backslash") if the dialect escapes with backslashes, or take the backslash out of the value',
    )
  }
  return (value) => render('sql', value, quoted, (text) => `'${quoted(text)}'`, ',')
}

/**
 * Splunk's SPL, inside double quotes: `\` and `"` take a backslash (Splunk Search Manual, "When to escape characters").
 * `*` stays a wildcard of the `search` command, which has no escape for it.
 */
export const splQuoting: QueryQuoting = (value) => {
  const quoted = (text: string) => text.replace(/[\\"]/g, '\\$&')
  return render('spl', value, quoted, (text) => `"${quoted(text)}"`, ',')
}

/** Line breaks end a Kusto string literal, so that they need their escapes. */
const kqlBreaks: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/**
 * Kusto (Microsoft Sentinel and Defender), inside single or double quotes: backslash, both quotes and line breaks are
 * escaped with a backslash (Kusto documentation, "The string data type"). Not for literals with `@`.
 */
export const kqlQuoting: QueryQuoting = (value) => {
  const quoted = (text: string) =>
    text.replace(/[\\"'\n\r\t]/g, (found) => kqlBreaks.get(found) ?? `\\${found}`)
  return render('kql', value, quoted, (text) => `"${quoted(text)}"`, ',')
}

/**
 * Lucene's query parser and Elasticsearch's `query_string`, inside quotes or bare: every reserved character and blank
 * takes a backslash (Elasticsearch reference, "Query string query", reserved characters), and so does a value that is one
 * of the words AND, OR, NOT and TO. A list becomes `("a" OR "b")` without the parentheses.
 * `<` and `>` in front of a bare term make it a range and have no escape, so that such values are refused.
 */
export const luceneQuoting: QueryQuoting = (value) => {
  const quoted = (text: string) =>
    /^(?:AND|OR|NOT|TO)$/.test(text) ? `\\${text}` : text.replace(/[-+=&|><!(){}[\]^"~*?:\\/\s]/g, '\\$&')
  const bare = (text: string) => {
    if (!/^[<>]/.test(text)) return quoted(text)
    throw refused(
      'lucene',
      `${shown(text)} starts with ${text.charAt(0)}, which Lucene cannot escape outside quotes`,
      'use a list parameter, whose elements are quoted',
    )
  }
  return render('lucene', value, bare, (text) => `"${text.replace(/[\\"]/g, '\\$&')}"`, ' OR ')
}

/** A value that a filter cannot render. */
export function refused(filter: string, why: string, hint?: string): RunError {
  return new RunError('ARGUMENT_INVALID', `filter ${filter}: ${why}`, hint === undefined ? {} : { hint })
}

function render(
  filter: string,
  value: Json,
  inside: (text: string) => string,
  literal: (text: string) => string,
  separator: string,
): string {
  if (typeof value === 'string') return inside(value)
  if (isScalar(value)) return plainText(value)
  if (!Array.isArray(value)) throw refused(filter, 'a map has no literal in a query', 'use json')
  if (value.length === 0)
    throw refused(filter, 'the list is empty, and an empty list of literals is no valid query')
  const elements = value.map((element) => {
    if (typeof element === 'string') return literal(element)
    if (element !== null && isScalar(element)) return plainText(element)
    throw refused(
      filter,
      `the list holds ${kindOfValue(element)}; only strings, numbers and booleans have literals`,
    )
  })
  return elements.join(separator)
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
