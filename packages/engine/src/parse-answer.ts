import { RunError, toRunError } from '@huntfleet/contract'
import { textWithoutArrays } from './answer-text.ts'
import { type SelectedTexts, selectTexts } from './content-blocks.ts'
import { describeKeys, kindOfExact } from './describe-keys.ts'
import { extractText } from './extract.ts'
import type { FormatContext, ParsedText } from './format.ts'
import { decodeBlocks, type JsonAnswer, notJson, readJson, rootsOf } from './formats/json.ts'
import type { DecodedText } from './json/decode-text.ts'
import { type Exact, type ExactObject, isExactObject } from './json/exact.ts'
import { toExact } from './json/to-exact.ts'
import { compilePath, readPath } from './path.ts'
import type { ToolResult } from './ports.ts'
import type { TextParser, Vocabulary } from './read-answer.ts'
import { visibleText } from './visible-text.ts'

/** An answer taken apart, before anybody has asked whether it is an error. */
export interface ParsedAnswer {
  rows: JsonAnswer['rows']
  rejects: JsonAnswer['rejects']
  items: number
  documents: readonly Exact[]
  holders: readonly ExactObject[]
  lone: ExactObject | null
  /** The text around the rows. */
  text: string
  /** The texts that carry the rows; null: not known. */
  rowTexts: string[] | null
  notes: string[]
  truncation: string | null
  failure: RunError | null
}

const noRows: ParsedAnswer = {
  rows: [],
  rejects: [],
  items: 0,
  documents: [],
  holders: [],
  lone: null,
  text: '',
  rowTexts: null,
  notes: [],
  truncation: null,
  failure: null,
}

/** A text that a format refused is looked at by text rules only if it is a message rather than data. */
const longestMessage = 4_096

/** Selects, unwraps and decodes an answer. What is wrong with it as a whole is `failure`. */
export async function parseAnswer(
  result: ToolResult,
  context: FormatContext,
  vocabulary: Vocabulary,
): Promise<ParsedAnswer> {
  const selected = selectTexts(result, context.answer)
  const aside = selected.aside.join('\n')
  if (selected.missing !== null) return { ...noRows, text: aside, failure: selected.missing }
  const parsed = await parseTexts(selected, result, context, vocabulary)
  return { ...parsed, text: joined([aside, parsed.text]) }
}

async function parseTexts(
  selected: SelectedTexts,
  result: ToolResult,
  context: FormatContext,
  vocabulary: Vocabulary,
): Promise<ParsedAnswer> {
  const cut = cutTexts(selected.texts, context)
  if (cut.failure !== null) return { ...noRows, ...cut }
  const { answer } = context
  const isJson = answer.format === 'json' && answer.adapter === null
  const outside = cut.text
  if (answer.textPath !== null) {
    const parsed = await parseInnerText(cut.inside, result, context, vocabulary, isJson)
    return { ...parsed, text: joined([outside, parsed.text]) }
  }
  const parsed = isJson
    ? parseJson(cut.inside, result, context)
    : await parseText(textForm(cut.inside, result, context), context, vocabulary)
  return { ...parsed, text: joined([outside, parsed.text]) }
}

/** Applies `extract.after|between`; a block without the marks is prose, as long as another has them. */
function cutTexts(texts: readonly string[], context: FormatContext) {
  const inside: string[] = []
  const outside: string[] = []
  try {
    for (const text of texts) {
      const part = extractText(text, context.answer)
      if (part === undefined) {
        outside.push(text)
        continue
      }
      inside.push(part.inside)
      outside.push(part.outside)
    }
  } catch (error) {
    return { inside, text: joined(outside), failure: toRunError(error) }
  }
  const text = joined(outside)
  if (inside.length > 0 || texts.length === 0) return { inside, text, failure: null }
  const failure = new RunError(
    'PARSE_FAILED',
    `the marks of extract are not in the answer: ${visibleText(text, 200)}`,
  )
  return { inside, text: text.slice(0, longestMessage), failure }
}

function parseJson(texts: readonly string[], result: ToolResult, context: FormatContext): ParsedAnswer {
  const blocks = decodeBlocks(texts, context)
  const roots = unquoted(rootsOf(blocks), context)
  if (roots.values.some((root) => root === null || typeof root === 'object')) {
    return { ...fromJson(readJson([...blocks, ...roots.blocks], roots.values, context)) }
  }
  const structured = structuredRoots(result, context)
  if (structured !== undefined) {
    return fromJson(readJson([...blocks, ...structured.blocks], structured.values, context))
  }
  if (result.content.length === 0 && context.answer.contentFrom !== 'structured') return noRows
  const prose = joined(
    [...blocks, ...roots.blocks].filter((block) => block.broken === null).map(({ text }) => text),
  )
  const failure = result.content.length > 0 && texts.length === 0 ? noText(result, context) : notJson(blocks)
  return { ...noRows, text: prose, failure }
}

interface Roots {
  values: Exact[]
  /** Texts that were decoded on the way. */
  blocks: DecodedText[]
}

/** A JSON string that holds JSON is decoded once more: servers that serialise twice are common. */
function unquoted(values: readonly Exact[], context: FormatContext): Roots {
  const roots: Roots = { values: [], blocks: [] }
  for (const value of values) {
    if (typeof value !== 'string') {
      roots.values.push(value)
      continue
    }
    const blocks = decodeBlocks([value], context)
    roots.blocks.push(...blocks)
    const inner = rootsOf(blocks)
    roots.values.push(...(inner.length > 0 ? inner : [value]))
  }
  return roots
}

/** `structuredContent`; a sole key `result` is looked through unless `items_path` leads through it. */
function structuredRoots(result: ToolResult, context: FormatContext): Roots | undefined {
  const { contentFrom, itemsPath } = context.answer
  if (contentFrom === 'text' || contentFrom === 'resource') return undefined
  if (result.structuredContent === undefined || result.structuredContent === null) return undefined
  const whole = toExact(result.structuredContent)
  const inner = isExactObject(whole) && whole.size === 1 ? whole.get('result') : undefined
  if (inner === undefined) return { values: [whole], blocks: [] }
  if (itemsPath !== null && readPath(whole, compilePath(itemsPath)) !== undefined)
    return { values: [whole], blocks: [] }
  const roots = unquoted([inner], context)
  // Prose in `result` is prose, not a document.
  return typeof roots.values[0] === 'string' ? undefined : roots
}

function noText(result: ToolResult, context: FormatContext): RunError {
  const types = [...new Set(result.content.map((block) => block.type))].join(', ')
  const hint = result.content.some((block) => block.type === 'resource_link')
    ? 'set content.follow_links: true to read the linked resources'
    : `content.from is ${context.answer.contentFrom}`
  return new RunError('ANSWER_INVALID', `the answer has no text to take rows from; its blocks: ${types}`, {
    hint,
  })
}

function fromJson(answer: JsonAnswer): ParsedAnswer {
  const { rows, rejects, items, documents, holders, lone, remainder, rowTexts, notes, truncation, failure } =
    answer
  return {
    rows,
    rejects,
    items,
    documents,
    holders,
    lone,
    text: remainder,
    rowTexts,
    notes,
    truncation,
    failure,
  }
}

/** `text_path`: the answer is JSON, and the rows are in a text inside it. */
async function parseInnerText(
  texts: readonly string[],
  result: ToolResult,
  context: FormatContext,
  vocabulary: Vocabulary,
  isJson: boolean,
): Promise<ParsedAnswer> {
  const path = context.answer.textPath ?? ''
  const blocks = decodeBlocks(texts, context)
  const decoded = rootsOf(blocks)
  const roots = decoded.length > 0 ? decoded : (structuredRoots(result, context)?.values ?? [])
  if (roots.length === 0)
    return { ...noRows, text: joined(blocks.map(({ text }) => text)), failure: notJson(blocks) }
  const compiled = compilePath(path)
  const holder = roots.find((root) => readPath(root, compiled) !== undefined)
  const inner = holder === undefined ? undefined : readPath(holder, compiled)
  const around = joined(roots.map((root) => textWithoutArrays(root === holder ? without(root, inner) : root)))
  const outer: ParsedAnswer = { ...noRows, documents: roots, text: around }
  if (inner === null) return outer
  if (inner === undefined) {
    const keys = describeKeys(roots[0] ?? null)
    return {
      ...outer,
      failure: new RunError('ITEMS_NOT_FOUND', `text_path ${path} is not in the answer; ${keys}`),
    }
  }
  const parsed = await parseInner(inner, path, context, vocabulary, isJson)
  return { ...parsed, documents: [...parsed.documents, ...roots], text: joined([around, parsed.text]) }
}

async function parseInner(
  inner: Exact,
  path: string,
  context: FormatContext,
  vocabulary: Vocabulary,
  isJson: boolean,
) {
  if (isJson && typeof inner !== 'string') return fromJson(readJson([], [inner], context))
  if (typeof inner !== 'string') {
    const message = `text_path ${path} holds ${kindOfExact(inner)}, not a text`
    return { ...noRows, failure: new RunError('PARSE_FAILED', message) }
  }
  if (!isJson) return parseText(inner, context, vocabulary)
  const blocks = decodeBlocks([inner], context)
  const roots = rootsOf(blocks)
  return roots.length > 0
    ? fromJson(readJson(blocks, roots, context))
    : { ...noRows, failure: notJson(blocks) }
}

/** An object without the text that holds the rows, wherever it stands in it. */
function without(value: Exact, text: Exact | undefined): Exact {
  if (!isExactObject(value)) return value
  return new Map(
    [...value].filter(([, member]) => member !== text).map(([key, member]) => [key, without(member, text)]),
  )
}

/** The text for a format or adapter: the blocks, or the text that `structuredContent` holds in their place. */
function textForm(texts: readonly string[], result: ToolResult, context: FormatContext): string {
  const { contentFrom, blocks } = context.answer
  // Blocks that are one record each must not run together where a blank line ends a record.
  if (texts.length > 0) return texts.join(blocks === 'each' ? '\n\n' : '\n')
  if (contentFrom === 'text' || contentFrom === 'resource') return ''
  const structured = toExact(result.structuredContent)
  const inner = isExactObject(structured) && structured.size === 1 ? [...structured.values()][0] : structured
  return typeof inner === 'string' ? inner : ''
}

async function parseText(
  text: string,
  context: FormatContext,
  vocabulary: Vocabulary,
): Promise<ParsedAnswer> {
  if (text.trim() === '') return { ...noRows, text }
  try {
    const parsed: ParsedText = await parserOf(context, vocabulary)(text, context)
    const { rows, rejects, items, remainder, notes, truncation, envelope } = parsed
    const documents = envelope === undefined ? [] : [envelope]
    return { ...noRows, rows, rejects, items, documents, text: remainder, notes, truncation }
  } catch (error) {
    return { ...noRows, text: text.length > longestMessage ? '' : text, failure: toRunError(error) }
  }
}

function parserOf(context: FormatContext, vocabulary: Vocabulary): TextParser {
  const { adapter, format } = context.answer
  const [kind, name, parsers] =
    adapter === null
      ? (['response_format', format, vocabulary.formats] as const)
      : (['response_adapter', adapter, vocabulary.adapters] as const)
  const parser = Object.hasOwn(parsers, name) ? parsers[name] : undefined
  if (parser !== undefined) return parser
  throw new RunError(
    'BINDING_INVALID',
    `unknown ${kind} ${name}; known are ${Object.keys(parsers).join(', ')}`,
  )
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n')
}
