import { describe, expect, it } from 'vitest'
import type { AnswerSpec } from '../src/table-spec.ts'
import { bindingWith, compileDocuments, contractWith } from './read-documents.ts'

const answerOf = (fields: string) =>
  compileDocuments(contractWith(), bindingWith(`    ${fields}\n`)).specs[0]?.fetches[0]?.answer

describe('how rows are taken out of an answer', () => {
  it.each<[string, Partial<AnswerSpec>]>([
    ['response_format: csv', { format: 'csv', adapter: null }],
    ['response_adapter: tabular_text', { adapter: 'tabular_text' }],
    ['items_path: data.items', { itemsPath: 'data.items' }],
    ['single_item: true', { singleItem: true }],
    ['content: {from: structured, follow_links: true}', { contentFrom: 'structured', followLinks: true }],
    ['content: {blocks: last}', { blocks: 'last', skipBlocks: 0, matchBlocks: null }],
    ['content: {blocks: -1}', { blocks: -1 }],
    ['content: {blocks: {skip: 2}}', { blocks: 'all', skipBlocks: 2 }],
    ['content: {blocks: {match: "^\\\\["}}', { blocks: 'all', matchBlocks: '^\\[' }],
    ['extract: fenced', { extract: 'fenced', extractAfter: null, extractBetween: null }],
    ['extract: {after: "Result:"}', { extract: 'auto', extractAfter: 'Result:' }],
    ['extract: {between: [a, b]}', { extract: 'auto', extractBetween: ['a', 'b'] }],
    [
      'csv: {delimiter: ";", header: false, comment: "#"}',
      { csv: { delimiter: ';', header: false, comment: '#' } },
    ],
    ['null_values: ["-", ""]', { nullValues: ['-', ''] }],
    ['on_truncated: fail', { onTruncated: 'fail' }],
    ['error_when: []', { errorWhen: [] }],
    ['truncated_when: []', { truncatedWhen: [] }],
    ['empty_when: [{text: "^none"}]', { emptyWhen: [{ on: 'text', pattern: '^none', class: 'auto' }] }],
    ['columns_path: cols, rows: matrix, cell_path: v, header_row: first_page', { columnsPath: 'cols' }],
  ])('%s', (fields, expected) => {
    expect(
      answerOf(
        fields
          .replaceAll(', rows', '\n    rows')
          .replaceAll(', cell', '\n    cell')
          .replaceAll(', header_row', '\n    header_row'),
      ),
    ).toMatchObject(expected)
  })

  it.each<[string, object]>([
    ['{path: a}', { test: 'exists', value: true }],
    ['{path: a, exists: false}', { test: 'exists', value: false }],
    ['{path: a, equals: null}', { test: 'equals', value: null }],
    ['{path: a, equals: {x: 1}}', { test: 'equals', value: { x: 1 } }],
    ['{path: a, not_in: [ok, 0]}', { test: 'not_in', value: ['ok', 0] }],
    [
      '{path: a, matches: "^e", class: denied, message_path: b}',
      { test: 'matches', value: '^e', class: 'denied', messagePath: 'b' },
    ],
  ])('the rule %s', (rule, expected) => {
    expect(answerOf(`error_when: [${rule}]`)?.errorWhen).toEqual([
      { on: 'path', path: 'a', class: 'auto', messagePath: null, ...expected },
    ])
  })
})
