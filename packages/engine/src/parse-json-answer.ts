import { RunError } from '@huntfleet/contract'
import type { FormatContext } from './format.ts'
import { brokenRejects, decodeBlocks, notJson, readJson, rootsOf } from './formats/json.ts'
import { joinTexts } from './join-texts.ts'
import { type Exact, isExactArray, isExactObject } from './json/exact.ts'
import { navigate } from './navigate.ts'
import { answerOfJson, answerWithoutRows, type ParsedAnswer } from './parsed-answer.ts'
import type { ToolResult } from './ports.ts'
import { structuredRoots, unquote } from './structured-content.ts'

/** Rows from JSON: the text blocks, and `structuredContent` where none of them is JSON (SPEC section 6). */
export function parseJsonAnswer(
  texts: readonly string[],
  result: ToolResult,
  context: FormatContext,
): ParsedAnswer {
  const blocks = decodeBlocks(texts, context)
  const inText = unquote(rootsOf(blocks), context)
  const decoded = [...blocks, ...inText.blocks]
  const structured = structuredRoots(result, context)
  if (inText.values.some(isDocument)) {
    const answer = answerOfJson(readJson(decoded, inText.values, context))
    if (structured === undefined || sameCount(inText.values, structured.values, context)) return answer
    return { ...answer, notes: [...answer.notes, otherCount] }
  }
  if (structured !== undefined) {
    return answerOfJson(readJson([...decoded, ...structured.blocks], structured.values, context))
  }
  const { contentFrom } = context.answer
  if (result.content.length === 0 && contentFrom !== 'structured') return answerWithoutRows()
  const text = joinTexts(decoded.filter((block) => block.broken === null).map((block) => block.text))
  const failure = texts.length === 0 ? nothingToRead(result, contentFrom) : notJson(blocks)
  return answerWithoutRows({ text, rejects: brokenRejects(decoded), failure })
}

const otherCount =
  'structuredContent holds another number of rows than the text, which the rows were taken from; content.from says which to take'

/** Whether both give as many rows, as far as they can be compared: an object in structuredContent may hold facts about the rows. */
function sameCount(inText: readonly Exact[], structured: readonly Exact[], context: FormatContext): boolean {
  // Who picks blocks knows that the others hold rows too.
  if (context.answer.blocks !== 'auto') return true
  const others = navigate(structured, context.answer)
  if (others.failure !== null || others.lone !== null) return true
  return others.elements.length === navigate(inText, context.answer).elements.length
}

/** null, an object or an array: a string or a number amid blocks is prose. */
function isDocument(value: Exact): boolean {
  return value === null || isExactArray(value) || isExactObject(value)
}

function nothingToRead(result: ToolResult, contentFrom: string): RunError {
  const types = [...new Set(result.content.map((block) => block.type))].join(', ') || 'none'
  const hint = result.content.some((block) => block.type === 'resource_link')
    ? 'set content.follow_links: true to read the linked resources'
    : 'content.from says where rows are taken from: auto, text, structured or resource'
  const what = contentFrom === 'structured' ? 'no structuredContent' : 'no text'
  return new RunError('ANSWER_INVALID', `the answer has ${what} to take rows from; its blocks: ${types}`, {
    hint,
  })
}
