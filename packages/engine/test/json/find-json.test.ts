import { cpuTime } from '@huntfleet/testing'
import { describe, expect, it } from 'vitest'
import { compactJson } from '../../src/json/compact.ts'
import { type FoundJson, findEmbeddedJson, findFencedJson } from '../../src/json/find-json.ts'

const texts = (found: FoundJson) => found.values.map(({ value }) => compactJson(value))

describe('findFencedJson', () => {
  const fences: [what: string, text: string, values: string[]][] = [
    ['a fence amid prose', 'Found 1:\n```json\n[{"id": 1}]\n```\nUse page 2.', ['[{"id":1}]']],
    ['backticks inside a string', '```json\n{"a": "x ``` y"}\n```', ['{"a":"x ``` y"}']],
    ['a fence without a language', '```\n{"a":1}\n```', ['{"a":1}']],
    ['a fence on one line', '```json {"a":1} ```', ['{"a":1}']],
    ['CRLF and an indented fence', '  ```json\r\n[1]\r\n  ```\r\n', []],
    ['CRLF around rows', '```json\r\n[{}]\r\n```\r\n', ['[{}]']],
    ['a fence of something else before it', '```sql\nselect "{"\n```\n```json\n{"b":2}\n```', ['{"b":2}']],
    ['no fence', '{"a":1}', []],
    ['a fence that is never closed', '```json\n{"a":1}', ['{"a":1}']],
  ]
  it.each(fences)('finds %s', (_, text, values) => {
    expect(texts(findFencedJson(text))).toEqual(values)
  })

  it('reports a value that is cut off', () => {
    expect(findFencedJson('```json\n[{"id": 1}, {"id"').broken).toMatchObject({ start: 8 })
  })
})

describe('findEmbeddedJson', () => {
  const embedded: [what: string, text: string, values: string[]][] = [
    ['a value behind a colon', 'Logs data: [{"id":1}]', ['[{"id":1}]']],
    ['a value on a line of its own', 'Alerts:\n{"data":{"n":1}}\n', ['{"data":{"n":1}}']],
    ['a comment line before it', '// 1 of 5 | Next page: use offset: 2\n{"total":5}', ['{"total":5}']],
    ['values one below the other', 'Found 2:\n{"id":1}\n{"id":2}', ['{"id":1}', '{"id":2}']],
    ['values side by side', '{"id":1}{"id":2}, {"id":3}', ['{"id":1}', '{"id":2}', '{"id":3}']],
    ['prose in brackets before it', '[INFO] found\n[1] see below\n[{"id":1}]', ['[{"id":1}]']],
    ['no example behind the rows', '[{"id":1}]\nNext call: {"page":2}', ['[{"id":1}]']],
    ['no value inside a sentence', 'use {"page": 2} to go on', []],
    ['a list of scalars that stands alone', 'ids:\n["a","b"]\n', ['["a","b"]']],
  ]
  it.each(embedded)('finds %s', (_, text, values) => {
    const found = findEmbeddedJson(text)
    expect(texts(found)).toEqual(values)
    expect(found.broken).toBeNull()
  })

  it('never takes a piece of a broken value for a whole one', () => {
    const found = findEmbeddedJson('Rows:\n{"results": [\n{"id":1},\n{"id":2}\n')
    expect(found.values).toEqual([])
    expect(found.broken?.start).toBe(6)
  })

  it('keeps the values before a broken one', () => {
    const found = findEmbeddedJson('{"id":1}\n{"id":2\n')
    expect(texts(found)).toEqual(['{"id":1}'])
    expect(found.broken?.start).toBe(9)
  })

  const hostile: [what: string, text: string][] = [
    ['lines that begin like prose in brackets', '[x\n'.repeat(300_000)],
    ['colons and brackets', ': ['.repeat(300_000)],
    ['numbers in brackets that never close', '[1,\n'.repeat(300_000)],
    ['blanks', ' '.repeat(1_000_000)],
    ['fences', '``` \n'.repeat(300_000)],
    ['backticks', '`'.repeat(1_000_000)],
    ['a fence and blanks', `\`\`\`${' '.repeat(1_000_000)}é`],
  ]
  it.each(hostile)('takes linear time on %s', (_, text) => {
    const spent = cpuTime()
    findEmbeddedJson(text)
    findFencedJson(text)
    expect(spent()).toBeLessThan(4_000)
  })
})
