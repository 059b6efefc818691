import { type AnswerSpec, compileRegex, RunError } from '@huntfleet/contract'
import type { ContentBlock, ToolResult } from './ports.ts'
import { excerpt } from './visible-text.ts'

/** The texts of an answer that may hold rows, and the prose beside them. */
export interface SelectedTexts {
  texts: string[]
  /** Texts that were not chosen and hold no JSON: notices, counts. Text rules see them. */
  aside: string[]
  /** Set when `content.blocks` asks for a block that is not there. */
  missing: RunError | null
}

/** The texts that `content` and `blocks` of a binding choose (SPEC section 6). */
export function selectTexts(result: ToolResult, answer: AnswerSpec): SelectedTexts {
  const all = sourceTexts(result, answer)
  const rest = all.slice(answer.skipBlocks)
  const pattern = answer.matchBlocks === null ? null : compileRegex(answer.matchBlocks)
  const eligible = pattern === null ? rest : rest.filter((text) => pattern.test(text))
  const texts = chosen(eligible, answer.blocks)
  const taken = new Set(texts)
  const aside = [...all, ...sideTexts(result, answer)].filter(
    (text) => !taken.has(text) && !/^\s*[{[]/.test(text),
  )
  const missing = texts.length === 0 && all.length > 0 ? blockMissing(all, answer) : null
  return { texts, aside, missing }
}

/** The resources that the answer links to, in order; the caller reads them when the binding follows links. */
export function linkUris(result: ToolResult): string[] {
  return result.content.flatMap((block) => (block.type === 'resource_link' && block.uri ? [block.uri] : []))
}

function textsOf(result: ToolResult, type: ContentBlock['type']): string[] {
  return result.content.flatMap((block) =>
    block.type === type && block.text !== undefined ? [block.text] : [],
  )
}

function sourceTexts(result: ToolResult, answer: AnswerSpec): string[] {
  switch (answer.contentFrom) {
    case 'structured':
      return []
    case 'resource':
      return textsOf(result, 'resource')
    case 'text':
      return textsOf(result, 'text')
    default:
      return usesResources(result, answer) ? textsOf(result, 'resource') : textsOf(result, 'text')
  }
}

/** Texts of the kind that rows are not taken from. */
function sideTexts(result: ToolResult, answer: AnswerSpec): string[] {
  if (answer.contentFrom === 'resource' || answer.contentFrom === 'structured') return textsOf(result, 'text')
  return answer.contentFrom === 'auto' && usesResources(result, answer) ? textsOf(result, 'text') : []
}

/** With `auto`, embedded resources count when their links were followed, or when there is no text beside them. */
function usesResources(result: ToolResult, answer: AnswerSpec): boolean {
  if (textsOf(result, 'resource').length === 0) return false
  return answer.followLinks || textsOf(result, 'text').every((text) => text.trim() === '')
}

function chosen(texts: readonly string[], blocks: AnswerSpec['blocks']): string[] {
  switch (blocks) {
    case 'auto':
    case 'all':
    case 'each':
      return [...texts]
    case 'first':
      return texts.slice(0, 1)
    case 'last':
      return texts.slice(-1)
    default: {
      const text = texts.at(blocks)
      return text === undefined ? [] : [text]
    }
  }
}

function blockMissing(all: readonly string[], answer: AnswerSpec): RunError {
  const wanted = [
    ...(answer.skipBlocks > 0 ? [`skip: ${answer.skipBlocks}`] : []),
    ...(answer.matchBlocks === null ? [] : [`match: ${answer.matchBlocks}`]),
    ...(typeof answer.blocks === 'number' ? [`block ${answer.blocks}`] : []),
  ]
  const first = excerpt(all[0] ?? '')
  return new RunError(
    'ANSWER_INVALID',
    `content.blocks chooses no block (${wanted.join(', ')}): the answer has ${all.length}, the first begins ${first}`,
    { hint: 'blocks are counted from 0; -1 is the last' },
  )
}
