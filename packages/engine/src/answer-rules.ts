import { type AnswerRule, compileRegex, type ErrorCode, type Json } from '@huntfleet/contract'
import { compactJson, exactText } from './json/compact.ts'
import { type Exact, isExactArray, isExactObject } from './json/exact.ts'
import { toExact } from './json/to-exact.ts'
import { compilePath, readPath } from './path.ts'
import { visibleText } from './visible-text.ts'

/** All that a rule of a binding may look at: never a row. */
export interface RuleSubject {
  /** The text around the rows. */
  text: string
  /** The JSON around the rows; a path is looked up in each in turn. */
  documents: Iterable<Exact>
}

/** A rule that applies, and the words that say so. */
export interface RuleHit {
  rule: AnswerRule
  words: string
}

const longestWords = 300

/** The first rule that applies (`error_when`, `empty_when`, `truncated_when`). */
export function firstHit(rules: readonly AnswerRule[], subject: RuleSubject): RuleHit | undefined {
  for (const rule of rules) {
    const words = rule.on === 'text' ? textHit(rule.pattern, subject.text) : pathHit(rule, subject)
    if (words !== undefined) return { rule, words }
  }
  return undefined
}

/** The code that a rule's `class` asks for; undefined: its words decide. */
export function codeOfClass(name: AnswerRule['class']): ErrorCode | undefined {
  return classCodes[name]
}

const classCodes: Readonly<Record<AnswerRule['class'], ErrorCode | undefined>> = {
  auto: undefined,
  tool: 'TOOL_FAILED',
  transient: 'SOURCE_ERROR',
  rate_limited: 'SOURCE_RATE_LIMITED',
  denied: 'SOURCE_DENIED',
  data: 'ANSWER_INVALID',
}

/** The line in which the pattern matches. */
function textHit(pattern: string, text: string): string | undefined {
  const place = compileRegex(pattern).find(text)
  if (place === null) return undefined
  const lineStart = text.lastIndexOf('\n', place[0] - 1) + 1
  const lineEnd = text.indexOf('\n', place[1])
  return visibleText(text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd).trim(), longestWords)
}

function pathHit(rule: Extract<AnswerRule, { on: 'path' }>, subject: RuleSubject): string | undefined {
  const path = compilePath(rule.path)
  let seen = false
  for (const document of subject.documents) {
    seen = true
    const value = readPath(document, path)
    if (value === undefined) continue
    return passes(rule, value) ? wordsOf(rule, document, value) : undefined
  }
  // What is not there does not exist and is in no list; an answer without JSON says nothing either way.
  return seen && passes(rule, undefined) ? `there is no ${rule.path}` : undefined
}

function passes(rule: Extract<AnswerRule, { on: 'path' }>, value: Exact | undefined): boolean {
  switch (rule.test) {
    case 'exists':
      return (
        (value !== undefined && value !== null && value !== false && value !== '') === (rule.value !== false)
      )
    case 'equals':
      return value !== undefined && isSame(value, rule.value)
    case 'not_in':
      return !(Array.isArray(rule.value) && rule.value.some((one) => isSame(value ?? null, one)))
    case 'matches':
      return value !== undefined && value !== null && compileRegex(String(rule.value)).test(exactText(value))
  }
}

/** Same scalar or same JSON; `1` and `1.0` are the same number. */
function isSame(value: Exact, wanted: Json): boolean {
  if (
    typeof wanted === 'number' &&
    !isExactArray(value) &&
    !isExactObject(value) &&
    typeof value !== 'string'
  ) {
    return value !== null && typeof value !== 'boolean' && Number(exactText(value)) === wanted
  }
  return compactJson(value) === compactJson(toExact(wanted))
}

function wordsOf(rule: Extract<AnswerRule, { on: 'path' }>, document: Exact, value: Exact): string {
  const message = rule.messagePath === null ? undefined : readPath(document, compilePath(rule.messagePath))
  if (message !== undefined && message !== null) return exactText(message)
  return typeof value === 'string' ? value : `${rule.path}: ${compactJson(value).slice(0, longestWords)}`
}
