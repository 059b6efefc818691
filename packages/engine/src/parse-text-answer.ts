import { toRunError } from '@huntfleet/contract'
import { type AnswerVocabulary, parserOf } from './answer-vocabulary.ts'
import type { FormatContext } from './format.ts'
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
  if (texts.length > 0) return texts.join(gap)
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
    const documents = envelope === undefined ? [] : [envelope]
    return answerWithoutRows({ ...parsed, documents, text: remainder })
  } catch (error) {
    return answerWithoutRows({ text: isMessage(text) ? text : '', failure: toRunError(error) })
  }
}

function isMessage(text: string): boolean {
  return (
    text.length <= longestMessage && text.trim().split('\n').length <= mostLines && !/^\s*[{[]/.test(text)
  )
}
