import type { AnswerRule } from '@huntfleet/contract'
import { describe, expect, it } from 'vitest'
import { codeOfClass, firstHit } from '../src/answer-rules.ts'
import { parseExact } from '../src/json/parse-exact.ts'

type PathRule = Extract<AnswerRule, { on: 'path' }>
const onPath = (
  path: string,
  test: PathRule['test'],
  value: PathRule['value'],
  messagePath: string | null = null,
): AnswerRule => {
  return { on: 'path', path, test, value, class: 'auto', messagePath }
}
const hit = (rule: AnswerRule, ...documents: string[]) => {
  return firstHit([rule], { text: '', documents: documents.map((text) => parseExact(text)) })?.words
}

describe('firstHit', () => {
  const rules: [rule: AnswerRule, document: string, words: string | undefined][] = [
    [onPath('error', 'exists', true), '{"error":"bad"}', 'bad'],
    [onPath('error', 'exists', true), '{"error":{"code":7}}', 'error: {"code":7}'],
    [onPath('error', 'exists', true), '{"error":null}', undefined],
    [onPath('error', 'exists', true), '{"error":""}', undefined],
    [onPath('error', 'exists', true), '{}', undefined],
    [onPath('rows', 'exists', false), '{}', 'there is no rows'],
    [onPath('rows', 'exists', false), '{"rows":[]}', undefined],
    [onPath('success', 'equals', false, 'message'), '{"success":false,"message":"why"}', 'why'],
    [onPath('success', 'equals', false), '{"success":false}', 'success: false'],
    [onPath('success', 'equals', false), '{"success":"false"}', undefined],
    [onPath('n', 'equals', 1), '{"n":1.0}', 'n: 1.0'],
    [onPath('n', 'equals', 1), '{"n":"1"}', undefined],
    [onPath('a', 'equals', ['x']), '{"a":["x"]}', 'a: ["x"]'],
    [onPath('status', 'not_in', ['Complete', 'Running']), '{"status":"Failed"}', 'Failed'],
    [onPath('status', 'not_in', ['Complete', 'Running']), '{"status":"Running"}', undefined],
    [onPath('status', 'not_in', ['Complete']), '{}', 'there is no status'],
    [onPath('status', 'not_in', ['Complete', null]), '{}', undefined],
    [onPath('warning', 'matches', '(?i)TRUNC'), '{"warning":"may be truncated"}', 'may be truncated'],
    [onPath('warning', 'matches', 'x'), '{"warning":null}', undefined],
    [
      onPath('r[type=error].data.message', 'exists', true),
      '{"r":[{"type":"error","data":{"message":"m"}}]}',
      'm',
    ],
  ]
  it.each(rules)('%j on %s', (rule, document, words) => {
    expect(hit(rule, document)).toBe(words)
  })

  it('asks the first document that has the path', () => {
    expect(hit(onPath('a', 'equals', 2), '{"b":1}', '{"a":1}', '{"a":2}')).toBeUndefined()
    expect(hit(onPath('a', 'equals', 1), '{"b":1}', '{"a":1}')).toBe('a: 1')
  })

  it('says nothing about the JSON of an answer that has none', () => {
    expect(hit(onPath('rows', 'exists', false))).toBeUndefined()
    expect(hit(onPath('status', 'not_in', ['Complete']))).toBeUndefined()
  })

  it('gives the line in which a text rule matches', () => {
    const rule: AnswerRule = { on: 'text', pattern: 'more results', class: 'auto' }
    const subject = { text: 'first\nthere are more results here\nlast', documents: [] }
    expect(firstHit([rule], subject)).toEqual({ rule, words: 'there are more results here' })
    expect(firstHit([rule], { text: 'more results', documents: [] })?.words).toBe('more results')
    expect(firstHit([rule], { text: '', documents: [] })).toBeUndefined()
  })

  it('takes the first rule that applies', () => {
    const second: AnswerRule = { on: 'text', pattern: 'b', class: 'denied' }
    const rules: AnswerRule[] = [
      { on: 'text', pattern: 'z', class: 'data' },
      second,
      { on: 'text', pattern: 'a', class: 'tool' },
    ]
    expect(firstHit(rules, { text: 'ab', documents: [] })?.rule).toBe(second)
  })
})

describe('codeOfClass', () => {
  it('maps every class, and leaves auto to the words', () => {
    expect(codeOfClass('auto')).toBeUndefined()
    expect((['tool', 'transient', 'rate_limited', 'denied', 'data'] as const).map(codeOfClass)).toEqual([
      'TOOL_FAILED',
      'SOURCE_ERROR',
      'SOURCE_RATE_LIMITED',
      'SOURCE_DENIED',
      'ANSWER_INVALID',
    ])
  })
})
