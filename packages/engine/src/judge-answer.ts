import { type ErrorCode, kindOf, type RunError } from '@huntfleet/contract'
import { errorOfPayload } from './answer-error.ts'
import { codeOfClass, firstHit, type RuleHit } from './answer-rules.ts'
import { classifyText, toolError } from './classify-text.ts'
import { defaultTruncation, payloadError, rowLikeError } from './default-rules.ts'
import { errorWords } from './error-words.ts'
import type { FormatContext } from './format.ts'
import { wantedSources } from './formats/wanted-columns.ts'
import { type Exact, type ExactObject, isExactObject } from './json/exact.ts'
import type { ParsedAnswer } from './parsed-answer.ts'
import { compilePath, readPath } from './path.ts'
import type { FieldMapping, SourceRow } from './source-row.ts'

/** What an answer says about itself beside its rows. */
export interface Verdict {
  truncation: string | null
  notes: string[]
  /** The words that mean no rows, by `empty_when`; null: none do. */
  empty: string | null
}

/** Longer texts are data or documents, not sentences about the answer. */
const longestSentence = 4_096

/**
 * Decides whether an answer is what it looks like: `error_when` of the binding, then `empty_when`, then the built-in
 * rules, then what failed in reading it; and whether the source says that it sent less than it has. Throws a
 * classified `RunError` when the answer is an error.
 */
export function judgeAnswer(parsed: ParsedAnswer, lookups: Iterable<Exact>, context: FormatContext): Verdict {
  const { answer } = context
  const subject = { text: parsed.text, documents: lookups }
  const declared = answer.errorWhen === null ? undefined : firstHit(answer.errorWhen, subject)
  if (declared !== undefined) throw declaredError(declared, parsed)
  const empty = mayBeEmpty(parsed) ? firstHit(answer.emptyWhen, subject) : undefined
  if (empty !== undefined) return { truncation: null, notes: [], empty: empty.words }
  if (answer.errorWhen === null) refusePayloadErrors(parsed, context.fields)
  if (parsed.failure !== null) throw explained(parsed, parsed.failure)
  const notes = answer.errorWhen === null ? errorNotes(parsed) : []
  return { truncation: truncationOf(parsed, context, subject), notes, empty: null }
}

/** A long text that a format refused may be data, as a broken block is; a pattern that matches proves nothing then. */
function mayBeEmpty(parsed: ParsedAnswer): boolean {
  if (parsed.rows.length > 0 || parsed.rejects.length > 0) return false
  return parsed.failure === null || parsed.text.length <= longestSentence
}

function declaredError({ rule, words }: RuleHit, parsed: ParsedAnswer): RunError {
  const code: ErrorCode | undefined = codeOfClass(rule.class)
  const [document] = parsed.documents
  return document === undefined ? toolError(words, code) : errorOfPayload(words, document, code)
}

/** Throws for an answer that only looks successful. */
function refusePayloadErrors(parsed: ParsedAnswer, fields: readonly FieldMapping[]): void {
  const { lone } = parsed
  // A row may well have a column `status` or `error`; an object with none of the wanted fields is no row.
  const isRow = lone !== null && (fields.length === 0 || hasWanted(lone, fields))
  for (const document of parsed.documents) {
    if (!isExactObject(document) || (document === lone && isRow)) continue
    const hasRows = parsed.rows.length > 0 && (lone === null || isRow)
    const words = payloadError(document, hasRows)
    if (words !== undefined) throw errorOfPayload(words, document)
  }
  if (lone !== null && !isRow) {
    const words = payloadError(lone, false) ?? rowLikeError(lone)
    if (words !== undefined) throw errorOfPayload(words, lone)
  }
  refuseErrorRow(parsed, fields)
  const sentence =
    parsed.documents.length === 0 && parsed.rows.length === 0 ? errorSentence(parsed) : undefined
  if (sentence !== undefined) throw toolError(sentence)
}

/** Throws for a lone row that is an error and has none of the wanted fields. */
function refuseErrorRow(parsed: ParsedAnswer, fields: readonly FieldMapping[]): void {
  const only = onlyRow(parsed)
  if (only?.has('error') !== true || hasWanted(only, fields)) return
  const words = payloadError(only, false)
  if (words !== undefined) throw errorOfPayload(words, only)
}

/** The row of a list or a text of one: a source that answers in lists puts its errors into one, too. */
function onlyRow({ lone, rows, items }: ParsedAnswer): SourceRow | undefined {
  return lone === null && items === 1 ? rows[0] : undefined
}

/** Whether a row has a value in one of the wanted fields; one of which nothing particular is wanted has. */
function hasWanted(row: SourceRow, fields: readonly FieldMapping[]): boolean {
  const sources = wantedSources(fields)
  if (sources.length === 0 || sources.includes('$')) return true
  return sources.some((source) => (readPath(row, compilePath(source)) ?? null) !== null)
}

/**
 * A text that begins `Error …:` or `Failed …:` and is no page of the binding's format; or is one only because a text
 * table takes a lone line of that kind for a header without rows.
 */
function errorSentence(parsed: ParsedAnswer): string | undefined {
  const text = parsed.text.trim()
  const isMessage = parsed.failure !== null || !text.includes('\n')
  return isMessage && text.length <= longestSentence && /^(?:error|failed)\b[^,\t|\n]*:/i.test(text)
    ? text
    : undefined
}

/** Why there are no rows: the source's own words when they name a passing or a granted cause, else ours. */
function explained(parsed: ParsedAnswer, failure: RunError): RunError {
  for (const document of parsed.documents) {
    const words = isExactObject(document) ? errorWords(document) : ''
    if (classifyText(words).code === 'SOURCE_RATE_LIMITED') return errorOfPayload(words, document)
  }
  const text = parsed.text.trim()
  if (parsed.documents.length > 0 || text.length > longestSentence || text.includes('\n')) return failure
  const { code } = classifyText(text)
  const kind = kindOf(code)
  return kind === 'transient' || kind === 'denied' ? toolError(text) : failure
}

function errorNotes(parsed: ParsedAnswer): string[] {
  if (parsed.rows.length === 0 || parsed.lone !== null) return []
  const reported = parsed.documents
    .filter(isExactObject)
    .find((document) => payloadError(document, false) !== undefined)
  return reported === undefined
    ? []
    : [`the answer reports an error beside its rows: ${errorWords(reported).slice(0, 500)}`]
}

function truncationOf(
  parsed: ParsedAnswer,
  context: FormatContext,
  subject: { text: string; documents: Iterable<Exact> },
): string | null {
  const rules = context.answer.truncatedWhen
  if (rules !== null)
    return rules.length === 0 ? null : (firstHit(rules, subject)?.words ?? parsed.truncation)
  return parsed.truncation ?? defaultTruncation(holdersOf(parsed), parsed.text)
}

/** The objects beside the rows; never a row, nor one of several objects that are rows. */
function holdersOf(parsed: ParsedAnswer): ExactObject[] {
  const objects = [...parsed.documents, ...parsed.holders].filter(isExactObject)
  return objects.filter((object) => object !== parsed.lone)
}
