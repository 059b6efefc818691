import { readFileSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { AnswerCase } from './answer-case.ts'
import { writeProject } from './answer-project.ts'
import { runCli } from './cli-run.ts'

/** What is refused before anything is called: a contract or a binding that cannot be right. */
interface Refusal {
  title: string
  columns?: AnswerCase['columns']
  binding?: AnswerCase['binding']
  /** Words of the message and of its issues. */
  words: readonly string[]
}

const refusals: readonly Refusal[] = [
  {
    title: 'an unknown column type, listing the valid ones',
    columns: { id: 'BIGINTT' },
    words: ['BIGINTT', 'BIGINT', 'DECIMAL(p,s)', 'TIMESTAMPTZ'],
  },
  { title: 'a list of lists', columns: { id: 'VARCHAR[][]' }, words: ['VARCHAR[][]', 'types'] },
  { title: 'a decimal with too many digits', columns: { id: 'DECIMAL(39,2)' }, words: ['DECIMAL(39,2)'] },
  {
    title: 'a decimal with more places than digits',
    columns: { id: 'DECIMAL(4,5)' },
    words: ['DECIMAL(4,5)'],
  },
  {
    title: 'a column name that leads out of its place',
    columns: { '../id': 'BIGINT' },
    words: ['../id', 'letters, digits and _'],
  },
  { title: 'a column name of 65 characters', columns: { ['c'.repeat(65)]: 'BIGINT' }, words: ['64'] },
  {
    title: 'an unknown key of a column as a warning only, and a wrong value as an error',
    columns: { id: { type: 'INTEGER', required: 'maybe' } },
    words: ['required'],
  },
  {
    title: 'a format with letters that mean nothing',
    columns: { t: { type: 'TIMESTAMP', format: 'yyyy-QQ' } },
    words: ['QQ'],
  },
  {
    title: 'an unknown time zone',
    columns: { t: { type: 'TIMESTAMP', timezone: 'Mars/Olympus' } },
    words: ['Mars/Olympus'],
  },
  {
    title: 'a rounding that is not known',
    columns: { d: { type: 'DECIMAL(4,2)', round: 'up' } },
    words: ['round', 'half_even'],
  },
  {
    title: 'a mask of a type that has no masked value',
    columns: { n: { type: 'INTEGER', sensitive: 'mask' } },
    words: ['sensitive', 'drop'],
  },
  {
    title: 'an unknown kind of sensitive',
    columns: { n: { type: 'VARCHAR', sensitive: 'encrypt' } },
    words: ['mask', 'hash', 'drop'],
  },
  {
    title: 'a format beside an adapter',
    binding: { response_format: 'csv', response_adapter: 'tabular_text' },
    words: ['mutually exclusive'],
  },
  {
    title: 'an unknown format, listing the valid ones',
    binding: { response_format: 'xml' },
    words: ['xml', 'ndjson', 'markdown_table'],
  },
  {
    title: 'an unknown adapter, listing the valid ones',
    binding: { response_adapter: 'tabular' },
    words: ['tabular', 'tabular_text'],
  },
  {
    title: 'a mapped column that the contract lacks, with a guess',
    binding: { field_map: { ids: 'x' } },
    words: ['ids', 'did you mean id'],
  },
  {
    title: 'an unknown on_reject, listing the valid ones',
    binding: { on_reject: 'skip' },
    words: ['drop_row', 'fail'],
  },
  {
    title: 'a broken regular expression',
    binding: { error_when: [{ text: '(unclosed' }] },
    words: ['error_when'],
  },
  {
    title: 'a back reference, which has no linear time',
    binding: { empty_when: [{ text: '(a)\\1' }] },
    words: ['empty_when'],
  },
  {
    title: 'a rule with two tests',
    binding: { error_when: [{ path: 'a', equals: 1, exists: true }] },
    words: ['one test'],
  },
  {
    title: 'a delimiter of two characters',
    binding: { response_format: 'csv', csv: { delimiter: '||' } },
    words: ['delimiter'],
  },
  {
    title: 'a quote as delimiter',
    binding: { response_format: 'csv', csv: { delimiter: '"' } },
    words: ['delimiter'],
  },
  { title: 'unknown blocks', binding: { content: { blocks: 'some' } }, words: ['blocks'] },
  { title: 'an unknown layout of rows', binding: { rows: 'table' }, words: ['matrix', 'columns'] },
  { title: 'a number where a path belongs', binding: { items_path: 7 }, words: ['items_path'] },
  {
    title: 'an empty list of sources for a column',
    binding: { field_map: { id: [] } },
    words: ['field_map'],
  },
]

describe('refusals', () => {
  for (const { title, columns, binding, words } of refusals) {
    test(`refuses ${title}`, async () => {
      const project = writeProject([
        {
          title,
          columns: columns ?? { id: 'BIGINT' },
          ...(binding && { binding }),
          answer: '[]',
          expect: {},
        },
      ])
      try {
        const { exit, stdout } = await runCli(project.args)
        const { error } = JSON.parse(stdout)
        expect({ exit, kind: error.kind }).toEqual({ exit: 2, kind: 'config' })
        const messages = [error, ...(error.issues ?? [])].map((issue) => issue.message).join('\n')
        for (const word of words) expect(messages).toContain(word)
        expect(readFileSync(project.callLog, 'utf8')).toBe('')
      } finally {
        rmSync(project.folder, { recursive: true })
      }
    })
  }
})
