import { RunError } from '@huntfleet/contract'
import { type Exact, isExactArray, isExactObject } from '../json/exact.ts'
import { parseExact } from '../json/parse-exact.ts'
import type { ContentBlock, ToolResult } from '../ports.ts'
import type { HeldAnswer } from './held-answer.ts'
import { isRecord, type WireAnswer } from './wire-message.ts'

/** What results were read from. */
const origins = new WeakMap<ToolResult, WireAnswer>()

/** The answer that a result was read from; undefined for a result that was made otherwise. */
export function wireAnswerOf(result: ToolResult): WireAnswer | undefined {
  return origins.get(result)
}

/**
 * A `CallToolResult` as it came, read leniently: a block of an unknown type or with a broken field must not cost the
 * rows of the others, as it does in the SDK. Keys that MCP does not know join `_meta`: some servers put their cursor
 * there (`resultType` is known: the session has seen that the result is complete). Throws `ANSWER_INVALID` for an answer that holds no content of any kind, which would pass for zero rows.
 */
export function readToolResult(answer: WireAnswer): ToolResult {
  const result = answer.held === null ? resultOf(answer) : standInFor(answer.held, answer.bytes)
  origins.set(result, answer)
  return result
}

/** As much of a result as can be known while another thread has it. */
function standInFor({ isError, links, error }: HeldAnswer, bytes: number): ToolResult {
  if (error !== null) throw error
  const content = links.map((uri) => ({ type: 'resource_link', uri }))
  return { content, structuredContent: undefined, meta: undefined, isError, bytes }
}

function resultOf(answer: WireAnswer): ToolResult {
  const { content, structuredContent, toolResult, isError, _meta, resultType: _, ...others } = answer.result
  // `toolResult` is the result of protocol version 2024-10-07.
  const key = structuredContent === undefined && toolResult !== undefined ? 'toolResult' : 'structuredContent'
  const plain = structuredContent ?? toolResult
  const blocks = readBlocks(content)
  if (blocks === undefined && plain === undefined) {
    const keys = Object.keys(answer.result).slice(0, 20).join(', ') || 'none'
    throw new RunError(
      'ANSWER_INVALID',
      `the answer holds neither content nor structuredContent; its keys: ${keys}`,
    )
  }
  let exact: Exact | undefined
  return {
    content: blocks ?? [],
    // Parsed when asked for: most answers repeat in it what their text holds.
    get structuredContent() {
      if (plain === undefined || plain === null) return plain
      exact ??= exactMember(answer, key)
      return exact
    },
    meta: { ...others, ...(isRecord(_meta) && _meta) },
    isError: isError === true,
    bytes: answer.bytes,
  }
}

/** The structured content with every digit: JavaScript's own parser has rounded what it gave us. */
function exactMember(answer: WireAnswer, key: string): Exact {
  const parsed = parseExact(answer.text, { lenientNumbers: true })
  const message = isExactArray(parsed) && answer.index !== null ? parsed[answer.index] : parsed
  const result = isExactObject(message) ? message.get('result') : undefined
  return (isExactObject(result) ? result.get(key) : undefined) ?? null
}

function readBlocks(content: unknown): ContentBlock[] | undefined {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (isRecord(content)) return [readBlock(content)]
  if (!Array.isArray(content)) return undefined
  return content.map((block) =>
    typeof block === 'string' ? { type: 'text', text: block } : readBlock(block),
  )
}

function readBlock(block: unknown): ContentBlock {
  if (!isRecord(block)) return { type: 'unknown' }
  const type = typeof block['type'] === 'string' ? block['type'] : 'unknown'
  const source = type === 'resource' && isRecord(block['resource']) ? block['resource'] : block
  return {
    type,
    ...stringMember('text', resourceText(source)),
    ...stringMember('uri', source['uri']),
    ...stringMember('mimeType', source['mimeType']),
  }
}

/** The text of a block or of a resource's contents; a base64 blob is decoded where its type is textual. */
export function resourceText(source: Record<string, unknown>): unknown {
  const { text, blob, mimeType } = source
  if (text !== undefined || typeof blob !== 'string') return text
  const textual = typeof mimeType !== 'string' || /^text\/|json|csv|xml|yaml/i.test(mimeType)
  return textual ? Buffer.from(blob, 'base64').toString('utf8') : undefined
}

function stringMember(key: 'text' | 'uri' | 'mimeType', value: unknown): Partial<ContentBlock> {
  return typeof value === 'string' ? { [key]: value } : {}
}
