import { RunError, toRunError } from '@huntfleet/contract'
import { textWithoutArrays } from './answer-text.ts'
import type { AnswerVocabulary } from './answer-vocabulary.ts'
import { selectTexts } from './content-blocks.ts'
import { describeKeys, kindOfExact } from './describe-keys.ts'
import { extractText } from './extract.ts'
import type { FormatContext } from './format.ts'
import { decodeBlocks, notJson, readJson, rootsOf } from './formats/json.ts'
import { joinTexts } from './join-texts.ts'
import type { Exact } from './json/exact.ts'
import { parseJsonAnswer } from './parse-json-answer.ts'
import { parseTextAnswer, textForFormat } from './parse-text-answer.ts'
import { answerOfJson, answerWithoutRows, type ParsedAnswer } from './parsed-answer.ts'
import { compilePath, readPath } from './path.ts'
import type { ToolResult } from './ports.ts'
import { structuredRoots } from './structured-content.ts'
import { visibleText } from './visible-text.ts'

/**
 * Selects, unwraps and decodes an answer (SPEC section 6). What is wrong with it as a whole is its `failure`; throws
 * only for what no answer could change (BINDING_INVALID).
 */
export async function parseAnswer(
  result: ToolResult,
  context: FormatContext,
  vocabulary: AnswerVocabulary,
): Promise<ParsedAnswer> {
  const selected = selectTexts(result, context.answer)
  const aside = joinTexts(selected.aside)
  if (selected.missing !== null) return answerWithoutRows({ text: aside, failure: selected.missing })
  const cut = cutTexts(selected.texts, context)
  if (cut.failure !== null)
    return answerWithoutRows({ text: joinTexts([aside, cut.outside]), failure: cut.failure })
  const parsed = await parseTexts(cut.inside, result, context, vocabulary)
  return { ...parsed, text: joinTexts([aside, cut.outside, parsed.text]) }
}

/** Applies `extract.after|between`; a block without the marks is prose, as long as another has them. */
function cutTexts(texts: readonly string[], context: FormatContext) {
  const inside: string[] = []
  const outside: string[] = []
  let failure: RunError | null = null
  try {
    for (const text of texts) {
      const part = extractText(text, context.answer)
      outside.push(part?.outside ?? text)
      if (part !== undefined) inside.push(part.inside)
    }
  } catch (error) {
    failure = toRunError(error)
  }
  if (failure === null && inside.length === 0 && texts.length > 0) {
    const begins = visibleText(joinTexts(outside), 200)
    failure = new RunError(
      'PARSE_FAILED',
      `the marks of extract are not in the answer, which begins: ${begins}`,
    )
  }
  return { inside, outside: joinTexts(outside), failure }
}

async function parseTexts(
  texts: readonly string[],
  result: ToolResult,
  context: FormatContext,
  vocabulary: AnswerVocabulary,
): Promise<ParsedAnswer> {
  const { textPath } = context.answer
  if (textPath !== null) return parseInnerText(textPath, texts, result, context, vocabulary)
  if (isJson(context)) return parseJsonAnswer(texts, result, context)
  return parseTextAnswer(textForFormat(texts, result, context), context, vocabulary)
}

function isJson({ answer }: FormatContext): boolean {
  return answer.format === 'json' && answer.adapter === null
}

/** `text_path`: the answer is JSON, and the rows are in a text inside it. */
async function parseInnerText(
  textPath: string,
  texts: readonly string[],
  result: ToolResult,
  context: FormatContext,
  vocabulary: AnswerVocabulary,
): Promise<ParsedAnswer> {
  const blocks = decodeBlocks(texts, context)
  const decoded = rootsOf(blocks)
  const roots = decoded.length > 0 ? decoded : (structuredRoots(result, context)?.values ?? [])
  if (roots.length === 0) {
    if (result.content.length === 0) return answerWithoutRows()
    return answerWithoutRows({ text: joinTexts(blocks.map(({ text }) => text)), failure: notJson(blocks) })
  }
  const path = compilePath(textPath)
  const inner = roots.map((root) => readPath(root, path)).find((value) => value !== undefined)
  const around = joinTexts(roots.map((root) => textWithoutArrays(root, inner)))
  const parsed = await parseInner(inner, roots, context, vocabulary)
  return { ...parsed, documents: [...parsed.documents, ...roots], text: joinTexts([around, parsed.text]) }
}

async function parseInner(
  inner: Exact | undefined,
  roots: readonly Exact[],
  context: FormatContext,
  vocabulary: AnswerVocabulary,
): Promise<ParsedAnswer> {
  const { textPath } = context.answer
  if (inner === undefined) {
    const message = `text_path ${textPath} is not in the answer; ${describeKeys(roots[0] ?? null)}`
    return answerWithoutRows({ failure: new RunError('ITEMS_NOT_FOUND', message) })
  }
  if (inner === null) return answerWithoutRows()
  if (typeof inner !== 'string') {
    if (isJson(context)) return answerOfJson(readJson([], [inner], context))
    const message = `text_path ${textPath} holds ${kindOfExact(inner)}, not a text`
    return answerWithoutRows({ failure: new RunError('PARSE_FAILED', message) })
  }
  if (!isJson(context)) return parseTextAnswer(inner, context, vocabulary)
  const blocks = decodeBlocks([inner], context)
  const innerRoots = rootsOf(blocks)
  if (innerRoots.length > 0) return answerOfJson(readJson(blocks, innerRoots, context))
  return answerWithoutRows({ text: inner.length > 4_096 ? '' : inner, failure: notJson(blocks) })
}
