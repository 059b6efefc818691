import { type AnswerSpec, toRunError } from '@huntfleet/contract'
import { type AnswerVocabulary, parserOf } from './answer-vocabulary.ts'
import type { FormatContext } from './format.ts'
import { decodeText } from './json/decode-text.ts'
import { type ExactObject, isExactObject } from './json/exact.ts'
import { answerWithoutRows, type ParsedAnswer } from './parsed-answer.ts'
import type { ToolResult } from './ports.ts'
import { structuredText } from './structured-content.ts'

/** A text that a format refused is shown to text rules only if it is a message rather than data. */
const longestMessage = 4_096
const mostLines = 5

/** The text for a format or adapter: the blocks, or what `structuredContent` holds in their place. */
export function textForFormat(
  texts: readonly string[],
  result: ToolResult,
  { answer }: FormatContext,
): string {
  // Blocks that are one record each must not run together where a blank line ends a record.
  const gap = answer.blocks === 'each' || answer.format === 'key_value' ? '\n\n' : '\n'
  if (texts.length > 0) return (isDelimited(answer) ? underOneHeader(texts) : texts).join(gap)
  return answer.contentFrom === 'text' || answer.contentFrom === 'resource' ? '' : structuredText(result)
}

/** Rows from text by the binding's format or adapter; a blank text has none. */
export async function parseTextAnswer(
  text: string,
  context: FormatContext,
  vocabulary: AnswerVocabulary,
): Promise<ParsedAnswer> {
  if (text.trim() === '') return answerWithoutRows({ text })
  const parser = parserOf(context, vocabulary)
  try {
    const { remainder, envelope, ...parsed } = await parser(text, context)
    const documents = envelope !== undefined ? [envelope] : parsed.rows.length > 0 ? [] : payloadOf(text)
    return answerWithoutRows({ ...parsed, documents, text: remainder })
  } catch (error) {
    const failure = toRunError(error)
    // A run that was cancelled, or an adapter that cannot be loaded, says nothing about this text.
    if (failure.kind === 'cancelled' || failure.kind === 'config') throw failure
    return answerWithoutRows({ text: isMessage(text) ? text : '', documents: payloadOf(text), failure })
  }
}

/** The JSON object that came in place of a table: it may say what went wrong. */
function payloadOf(text: string): ExactObject[] {
  if (!/^\s*\{/.test(text)) return []
  return decodeText(text, 'none', 0).values.flatMap(({ value }) => (isExactObject(value) ? [value] : []))
}

function isDelimited({ adapter, format, csv }: AnswerSpec): boolean {
  return adapter === null && (format === 'csv' || format === 'tsv') && csv.header
}

/** Blocks that all begin with the same header are one table: only the first keeps it. */
function underOneHeader(texts: readonly string[]): string[] {
  const lineOf = (text: string) => /^\ufeff?(.*)/.exec(text)?.[1]?.trimEnd() ?? ''
  const header = lineOf(texts[0] ?? '')
  return texts.map((text, index) => {
    const repeats = index > 0 && header !== '' && lineOf(text) === header
    return repeats ? text.slice(text.indexOf('\n') < 0 ? text.length : text.indexOf('\n') + 1) : text
  })
}

/** Whether a text is short enough to be words to a person rather than data. */
export function isMessage(text: string): boolean {
  return (
    text.length <= longestMessage && text.trim().split('\n').length <= mostLines && !/^\s*[{[]/.test(text)
  )
}
