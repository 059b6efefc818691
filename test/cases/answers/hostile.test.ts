import { testAnswers } from './test-answers.ts'

const columns = { id: 'INTEGER', name: 'VARCHAR' }
const levels = 20_000
const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`

/** Answers made to exhaust a reader: each must end in a moment, with rows, rejects or an error that is data. */
testAnswers('hostile answers', [
  {
    title: 'is not harmed by depth beside the rows, which text rules look at',
    columns,
    binding: { items_path: 'rows', error_when: [{ text: 'zzz' }] },
    answer: `{"rows":[{"id":1}],"x":${deep}}`,
    expect: { rows: [[1, null]] },
  },
  {
    title: 'is not harmed by depth in an error',
    columns,
    binding: { items_path: 'rows' },
    answer: `{"rows":[],"error":${deep}}`,
    expect: { error: { kind: 'tool' } },
  },
  {
    title: 'is not harmed by depth in structuredContent',
    columns: { id: 'INTEGER', v: 'VARCHAR' },
    answer: { resultText: `{"content":[],"structuredContent":{"result":[{"id":1,"v":${deep}}]}}` },
    expect: { rows: [[1, deep]] },
  },
  {
    title: 'reads a hundred thousand open brackets once',
    columns,
    answer: '['.repeat(100_000),
    expect: { error: { kind: 'data' } },
  },
  {
    title: 'reads lines that are all broken JSON once each',
    columns,
    binding: { response_format: 'ndjson' },
    answer: `{"id":1}\n${`${'['.repeat(50)}\n`.repeat(20_000)}`,
    expect: { rows: [[1, null]], rejects: 20_000, dropped: 20_000 },
  },
  {
    title: 'reads prose full of brackets and fences once',
    columns,
    answer: '[x\n```json\n{"a":\n'.repeat(30_000),
    expect: { error: { kind: 'data' } },
  },
  {
    title: 'reads csv full of stray quotes once',
    columns,
    binding: { response_format: 'csv' },
    answer: `id,name\n${'1,"a\n'.repeat(30_001)}`,
    expect: { rows: [], rejects: 30_001, dropped: 30_001 },
  },
  {
    title: 'reads twenty thousand columns of one name',
    columns: { a: 'INTEGER', a_20000: 'INTEGER' },
    binding: { response_format: 'csv' },
    answer: `${'a,'.repeat(19_999)}a\n${'1,'.repeat(19_999)}2\n`,
    expect: { rows: [[1, 2]] },
  },
  {
    title: 'reads a table of nested HTML tables without end',
    columns,
    binding: { response_format: 'html_table' },
    answer: '<table><tr><td>'.repeat(20_000),
    expect: { error: { kind: 'data' } },
  },
  {
    title: 'rejects numbers of a million digits',
    columns: { v: 'DECIMAL(10,2)', b: 'BIGINT' },
    binding: { field_map: { b: 'v' } },
    answer: `[{"v":${'9'.repeat(1_000_000)}},{"v":"${' '.repeat(500_000)}5"}]`,
    expect: {
      rows: [
        [null, null],
        ['5.00', '5'],
      ],
      rejects: 2,
      rejectedIn: { v: 1, b: 1 },
    },
  },
])
