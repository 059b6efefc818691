import { RunError } from '@huntfleet/contract'
import type { Format, FormatContext, ParsedText } from './format.ts'

/** A format, or an adapter that answers later because it runs elsewhere. */
export type TextParser = (...input: Parameters<Format>) => ParsedText | Promise<ParsedText>

/** The formats and adapters that a binding may name. */
export interface AnswerVocabulary {
  readonly formats: Readonly<Record<string, TextParser>>
  readonly adapters: Readonly<Record<string, TextParser>>
}

/** The parser that a binding asks for; an adapter takes the place of the format. Throws BINDING_INVALID. */
export function parserOf({ answer }: FormatContext, vocabulary: AnswerVocabulary): TextParser {
  const isFormat = answer.adapter === null
  const parsers = isFormat ? vocabulary.formats : vocabulary.adapters
  const name = answer.adapter ?? answer.format
  const parser = Object.hasOwn(parsers, name) ? parsers[name] : undefined
  if (parser !== undefined) return parser
  const field = isFormat ? 'response_format' : 'response_adapter'
  throw new RunError(
    'BINDING_INVALID',
    `unknown ${field} ${name}; known are ${Object.keys(parsers).join(', ')}`,
  )
}
