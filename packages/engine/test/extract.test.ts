import type { AnswerSpec } from '@huntfleet/contract'
import { describe, expect, it } from 'vitest'
import { type Extracted, extractText } from '../src/extract.ts'
import { contextOf } from './formats/format-context.ts'

const extract = (text: string, options: Partial<AnswerSpec>) =>
  extractText(text, contextOf([], options).answer)

describe('extractText', () => {
  const cuts: [what: string, text: string, options: Partial<AnswerSpec>, extracted: Extracted | undefined][] =
    [
      ['leaves a text alone', 'a,b', {}, { inside: 'a,b', outside: '' }],
      ['cuts behind a match', 'x ROWS: a', { extractAfter: 'ROWS: ?' }, { inside: 'a', outside: 'x ROWS: ' }],
      ['knows a text without the match', 'x', { extractAfter: 'ROWS' }, undefined],
      [
        'cuts between marks, line ends included',
        '<M/>\n<T>\r\na\nb\n</T>\nend',
        { extractBetween: ['<T>', '</T>'] },
        { inside: 'a\nb', outside: '<M/>\n<T>\n</T>\nend' },
      ],
      ['knows a text without the opening mark', 'x', { extractBetween: ['<T>', '</T>'] }, undefined],
      [
        'cuts out a fence for a text format',
        'Rows:\n```csv\nid\n1\n```\n',
        { extract: 'fenced', format: 'csv' },
        { inside: 'id\n1\n', outside: 'Rows:\n```csv\n\n```\n' },
      ],
      ['knows a text without a fence', 'id\n1', { extract: 'fenced', format: 'csv' }, undefined],
      [
        'leaves fences to JSON',
        '```\n[]\n```',
        { extract: 'fenced', format: 'json' },
        { inside: '```\n[]\n```', outside: '' },
      ],
    ]
  it.each(cuts)('%s', (_, text, options, extracted) => {
    expect(extract(text, options)).toEqual(extracted)
  })

  it('takes a missing closing mark for a cut-off answer', () => {
    expect(() => extract('<T>a', { extractBetween: ['<T>', '</T>'] })).toThrow('cut off')
    expect(() => extract('```csv\nid', { extract: 'fenced', format: 'csv' })).toThrow('cut off')
  })
})
