import { type AnswerSpec, RunError } from '@huntfleet/contract'
import { errorOfPayload, errorOfResult } from './answer-error.ts'
import type { AnswerPage } from './answer-page.ts'
import type { AnswerVocabulary } from './answer-vocabulary.ts'
import { payloadError } from './default-rules.ts'
import type { ParseDeadline } from './format.ts'
import { joinTexts } from './join-texts.ts'
import { decodeText } from './json/decode-text.ts'
import { type Exact, isExactObject } from './json/exact.ts'
import { toExact } from './json/to-exact.ts'
import { judgeAnswer } from './judge-answer.ts'
import { parseAnswer } from './parse-answer.ts'
import type { ToolResult } from './ports.ts'
import { rowsFingerprint, textsFingerprint } from './rows-fingerprint.ts'
import type { FieldMapping } from './source-row.ts'

export type { AnswerPage } from './answer-page.ts'
export { linkUris } from './content-blocks.ts'

export interface ReadRequest {
  answer: AnswerSpec
  fields: readonly FieldMapping[]
  firstPage: boolean
  /** The header row of an earlier page of the fetch. */
  header: readonly string[] | null
  /** Texts of the resources that the answer links to, when the binding follows links. */
  links: readonly string[]
  deadline?: ParseDeadline
}

/**
 * Reads one answer of a tool: select, unwrap, decode, check, rows (SPEC section 6). Throws a `RunError` when the
 * answer is an error, only looks successful, or holds no rows where the binding says they are.
 */
export async function readAnswer(
  result: ToolResult,
  request: ReadRequest,
  vocabulary: AnswerVocabulary,
): Promise<AnswerPage> {
  if (result.isError) throw errorOfResult(result)
  const { links: _, ...context } = request
  const parsed = await parseAnswer(withLinks(result, request.links), context, vocabulary)
  const lookups = lookupsOf(parsed.documents, result)
  const verdict = judgeAnswer(parsed, lookups, context)
  return {
    rows: parsed.rows,
    rejects: parsed.rejects,
    items: parsed.items,
    bytes: result.bytes,
    lookups,
    text: parsed.text,
    cursorText: joinTexts([parsed.text, parsed.cursorText]),
    // What a format made of words that mean no rows would only mislead.
    notes: verdict.empty === null ? [...parsed.notes, ...verdict.notes] : [`no rows: ${verdict.empty}`],
    header: parsed.header,
    truncation: verdict.truncation,
    fingerprint:
      parsed.rowTexts === null
        ? rowsFingerprint(parsed.rows, parsed.rejects)
        : textsFingerprint(parsed.rowTexts),
  }
}

function withLinks(result: ToolResult, links: readonly string[]): ToolResult {
  if (links.length === 0) return result
  return { ...result, content: [...result.content, ...links.map((text) => ({ type: 'resource', text }))] }
}

/** The documents of an answer; `structuredContent`, often a copy of the text, is converted only when it is asked. */
function lookupsOf(documents: readonly Exact[], result: ToolResult): Iterable<Exact> {
  let others: Exact[] | undefined
  return {
    *[Symbol.iterator]() {
      yield* documents
      others ??= [result.structuredContent, result.meta].flatMap((value) =>
        value === undefined || value === null || repeats(documents, value) ? [] : [toExact(value)],
      )
      yield* others
    },
  }
}

/** Whether a document has all the keys of this value: it has been asked already. */
function repeats(documents: readonly Exact[], value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  const keys = Object.keys(value)
  return documents.some((document) => isExactObject(document) && keys.every((key) => document.has(key)))
}

/**
 * The JSON documents of an answer that carries no rows (a search was submitted, or is polled): those of its texts,
 * `structuredContent`, `_meta`. Throws when the answer is an error or says that it failed.
 */
export function readDocuments(result: ToolResult): Exact[] {
  if (result.isError) throw errorOfResult(result)
  const texts = result.content.flatMap((block) => (block.text === undefined ? [] : [block.text]))
  const documents = texts.flatMap((text) => decodeText(text, 'auto', 0).values.map(({ value }) => value))
  for (const other of [result.structuredContent, result.meta]) {
    if (other !== undefined && other !== null) documents.push(toExact(other))
  }
  for (const document of documents) {
    const words = isExactObject(document) ? payloadError(document, false) : undefined
    if (words !== undefined) throw errorOfPayload(words, document)
  }
  if (documents.length > 0) return documents
  throw new RunError(
    'PARSE_FAILED',
    'the answer holds no JSON, so that neither an id nor a status can be read from it',
  )
}
