import { RunError, toRunError } from '@huntfleet/contract'
import { rowTexts, textBesideRows } from '../answer-text.ts'
import type { Format, FormatContext, ParsedText } from '../format.ts'
import { type DecodedText, decodeText } from '../json/decode-text.ts'
import { type Exact, type ExactObject, isExactObject } from '../json/exact.ts'
import { parseError } from '../json/parse-exact.ts'
import { elementRows } from '../matrix.ts'
import { type Items, navigate } from '../navigate.ts'
import { compilePath, pathDepth } from '../path.ts'
import type { RowReject } from '../source-row.ts'
import { excerpt } from '../visible-text.ts'

/** A JSON answer taken apart. A failure is a value, because an error payload explains it better than we can. */
export interface JsonAnswer extends ParsedText {
  /** JSON values that are no rows. */
  documents: readonly Exact[]
  /** The objects around the rows. */
  holders: readonly ExactObject[]
  /** The object that is the only row, where rows might stand. */
  lone: ExactObject | null
  /** The texts that carry the rows. */
  rowTexts: string[]
  /** The names in the page's header row; null: it had none. */
  header: readonly string[] | null
  failure: RunError | null
}

/** JSON: SPEC section 6. Blank text is an error; use `extract` for JSON amid prose. */
export const json: Format = (text, context) => {
  const blocks = decodeBlocks([text], context)
  const roots = rootsOf(blocks)
  if (roots.length === 0) throw notJson(blocks)
  const answer = readJson(blocks, roots, context)
  if (answer.failure !== null) throw answer.failure
  const { rows, rejects, items, envelope, remainder, notes, truncation } = answer
  return { rows, rejects, items, envelope, remainder, notes, truncation }
}

/** The JSON of text blocks, as `extract` says. */
export function decodeBlocks(texts: readonly string[], context: FormatContext): DecodedText[] {
  const { answer } = context
  const spanDepth = answer.itemsPath === null ? 0 : pathDepth(compilePath(answer.itemsPath)) + 1
  return texts.map((text) => decodeText(text, answer.extract, spanDepth))
}

/** The values of all blocks, in order. */
export function rootsOf(blocks: readonly DecodedText[]): Exact[] {
  return blocks.flatMap((block) => block.values.map(({ value }) => value))
}

/** From the values of an answer to its rows; `roots` are those of `blocks`, or others in their place. */
export function readJson(
  blocks: readonly DecodedText[],
  roots: readonly Exact[],
  context: FormatContext,
): JsonAnswer {
  const broken = brokenRejects(blocks)
  // Where structuredContent stands in for the text, nothing stands beside a broken block.
  const beside = blocks.some((block) => block.values.length > 0) ? broken.length : 0
  const items = navigate(roots, context.answer, beside)
  const page = rowsOf(items, context)
  return {
    rows: page.rows,
    rejects: [...items.rejects, ...broken, ...page.rejects],
    items: page.items + items.rejects.length + broken.length,
    envelope: items.documents.find(isExactObject),
    documents: items.documents,
    holders: items.holders,
    lone: items.lone,
    remainder: textBesideRows(blocks, roots, items),
    header: page.header,
    rowTexts: rowTexts(blocks, items),
    notes: [...items.notes, ...page.notes],
    truncation: null,
    failure: items.failure ?? page.failure,
  }
}

function rowsOf(items: Items, context: FormatContext) {
  const { answer, firstPage, header } = context
  const documents = [...items.documents, ...items.holders]
  try {
    return { ...elementRows(items.elements, { answer, firstPage, header, documents }), failure: null }
  } catch (error) {
    return { rows: [], rejects: [], items: 0, header: null, notes: [], failure: toRunError(error) }
  }
}

/** A block that begins like JSON and is none is a reject, never passed over. */
export function brokenRejects(blocks: readonly DecodedText[]): RowReject[] {
  return blocks.flatMap((block, index): RowReject[] => {
    if (block.broken === null) return []
    const { start, at, reason } = block.broken
    const error = parseError(block.text, at, reason)
    return [
      {
        row: index + 1,
        reason: `block ${index + 1}: ${error.message}`,
        raw: block.text.slice(start),
        stored: false,
      },
    ]
  })
}

/** PARSE_FAILED for blocks none of which is JSON. */
export function notJson(blocks: readonly DecodedText[]): RunError {
  for (const { text, broken } of blocks) {
    if (broken !== null) return parseError(text, broken.at, broken.reason)
  }
  const prose = blocks.find((block) => block.text.trim() !== '')
  if (prose === undefined) {
    return new RunError('PARSE_FAILED', 'the answer is a blank text where JSON was expected', {
      hint: 'if the tool says so when it finds nothing, set empty_when: [{text: "^\\\\s*$"}]',
    })
  }
  return new RunError('PARSE_FAILED', `the answer is not JSON; it begins ${excerpt(prose.text)}`, {
    hint: 'set response_format or response_adapter to the form the tool answers in; empty_when and error_when name sentences that mean no rows or an error',
  })
}
