import { testAnswers } from './test-answers.ts'

testAnswers('rejects', [
  {
    title: 'keeps the row with null, counts per column and keeps page, row, reason and raw value',
    columns: { id: 'INTEGER', n: 'INTEGER', t: 'TIMESTAMP' },
    answer: '[{"id":1,"n":"x1","t":"soon"},{"id":2,"n":{"a":1.50},"t":"2026-04-05"},{"id":"z","n":3}]',
    expect: {
      rows: [
        [1, null, null],
        [2, null, '2026-04-05T00:00:00.000000Z'],
        [null, 3, null],
      ],
      rejects: 4,
      rejectedIn: { id: 1, n: 2, t: 1 },
      rejectWords: ['1 1 n', '"x1"', '1 1 t', '"soon"', '1 2 n', '{"a":1.50}', '1 3 id', '"z"'],
    },
  },
  {
    title: 'drops the row once, whatever the number of its rejects',
    columns: { a: 'INTEGER', b: 'INTEGER' },
    binding: { on_reject: 'drop_row' },
    answer: '[{"a":"x","b":"y"},{"a":1,"b":2},{"a":1,"b":"y"}]',
    expect: { rows: [[1, 2]], rejects: 3, dropped: 2, rejectedIn: { a: 1, b: 2 } },
  },
  {
    title: 'fails at the first reject on request',
    columns: { a: 'INTEGER' },
    binding: { on_reject: 'fail' },
    answer: '[{"a":1},{"a":"x"},{"a":3}]',
    expect: { error: { kind: 'data', words: ['a'] }, rejects: 1, rejectedIn: { a: 1 } },
  },
  {
    title: 'fails at an element that is no row on request',
    columns: { a: 'INTEGER' },
    binding: { on_reject: 'fail' },
    answer: '[{"a":1},7]',
    expect: { error: { kind: 'data' }, rejects: 1, dropped: 1 },
  },
  {
    title: 'does not fail where everything fits',
    columns: { a: 'INTEGER' },
    binding: { on_reject: 'fail' },
    answer: '[{"a":1},{"a":null},{}]',
    expect: { rows: [[1], [null], [null]] },
  },
  {
    title: 'rejects null and missing in a required column, other nulls not',
    columns: { id: { type: 'INTEGER', required: true }, n: 'INTEGER' },
    answer: '[{"id":1,"n":null},{"id":null,"n":2},{"n":3},{"id":"","n":4},{"id":"x","n":5}]',
    expect: {
      rows: [
        [1, null],
        [null, 2],
        [null, 3],
        [null, 4],
        [null, 5],
      ],
      rejects: 4,
      rejectedIn: { id: 4 },
      rejectWords: ['required'],
    },
  },
  {
    title: 'drops rows without a required value on request',
    columns: { id: { type: 'INTEGER', required: true }, n: 'INTEGER' },
    binding: { on_reject: 'drop_row' },
    answer: '[{"id":1,"n":1},{"n":2},{"id":3}]',
    expect: {
      rows: [
        [1, 1],
        [3, null],
      ],
      rejects: 1,
      dropped: 1,
      rejectedIn: { id: 1 },
    },
  },
  {
    title: 'takes the empty string for a value of a required text',
    columns: { id: { type: 'VARCHAR', required: true } },
    answer: '[{"id":""},{"id":null}]',
    expect: { rows: [[''], [null]], rejects: 1, rejectedIn: { id: 1 } },
  },
  {
    title: 'takes a text of null_values for null, which a required column rejects',
    columns: { id: { type: 'VARCHAR', required: true } },
    binding: { null_values: ['-'] },
    answer: '[{"id":"-"},{"id":"x"}]',
    expect: { rows: [[null], ['x']], rejects: 1, rejectedIn: { id: 1 } },
  },
  {
    title: 'counts all rejects and keeps a thousand',
    columns: { a: 'INTEGER' },
    answer: { json: Array.from({ length: 2_500 }, () => ({ a: 'x' })) },
    expect: { rowCount: 2_500, rejects: 2_500, rejectedIn: { a: 2_500 } },
  },
  {
    title: 'cuts raw values that are long',
    columns: { a: 'INTEGER' },
    answer: { json: [{ a: 'x'.repeat(100_000) }] },
    expect: { rows: [[null]], rejects: 1, rejectedIn: { a: 1 }, unsaid: ['x'.repeat(5_000)] },
  },
])

testAnswers('sensitive columns', [
  {
    title: 'masks values, also in rejects',
    columns: {
      id: 'INTEGER',
      key: { type: 'VARCHAR', sensitive: 'mask' },
      n: { type: 'INTEGER', sensitive: 'drop' },
    },
    answer: '[{"id":1,"key":"geheim-1","n":"geheim-2"},{"id":2,"key":null,"n":77123}]',
    expect: {
      rows: [
        [1, '***', null],
        [2, null, null],
      ],
      rejects: 1,
      rejectedIn: { n: 1 },
      unsaid: ['geheim'],
    },
  },
  {
    title: 'hashes values, equal ones alike',
    columns: { key: { type: 'VARCHAR', sensitive: 'hash' } },
    answer: '[{"key":"abc"},{"key":"abc"},{"key":""},{"key":null}]',
    expect: {
      rows: [
        ['sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
        ['sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
        ['sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
        [null],
      ],
    },
  },
  {
    title: 'keeps no raw row of a table with a sensitive column',
    columns: { id: 'INTEGER', key: { type: 'VARCHAR', sensitive: 'mask' } },
    binding: { response_format: 'csv' },
    answer: 'id,key\n1,geheim-3,extra\n2,ok\n',
    expect: { rows: [[2, '***']], rejects: 1, dropped: 1, unsaid: ['geheim'] },
  },
  {
    title: 'says no value of a sensitive column in an error',
    columns: { key: { type: 'INTEGER', sensitive: 'drop' } },
    binding: { on_reject: 'fail' },
    answer: '[{"key":"geheim-4"}]',
    expect: { error: { kind: 'data' }, rejects: 1, rejectedIn: { key: 1 }, unsaid: ['geheim'] },
  },
])
