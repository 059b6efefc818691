import { testAnswers } from './test-answers.ts'

const ndjson = { response_format: 'ndjson' }
const tsv = { response_format: 'tsv' }
const ids = { id: 'BIGINT', name: 'VARCHAR' }

testAnswers('ndjson', [
  {
    title: 'reads an object per line, with CRLF, blank lines and no end after the last',
    columns: ids,
    binding: ndjson,
    answer: '{"id":1,"name":"a"}\r\n\r\n   \n{"id":9007199254740993}\n{"id":"3","name":null}',
    expect: {
      rows: [
        ['1', 'a'],
        ['9007199254740993', null],
        ['3', null],
      ],
    },
  },
  {
    title: 'takes off a byte order mark',
    columns: ids,
    binding: ndjson,
    answer: '\ufeff{"id":1,"name":"a"}\n',
    expect: { rows: [['1', 'a']] },
  },
  {
    title: 'rejects lines that are no JSON, with their numbers',
    columns: ids,
    binding: ndjson,
    answer: '{"id":1}\n\nnot json\n{"id":2\n{"id":3}\n',
    expect: {
      rows: [
        ['1', null],
        ['3', null],
      ],
      rejects: 2,
      dropped: 2,
      rejectWords: ['1 3 ', '1 4 ', 'not json'],
    },
  },
  {
    title: 'rejects lines that are JSON and no object',
    columns: ids,
    binding: ndjson,
    answer: '{"id":1}\n[{"id":2}]\n"text"\n7\nnull\ntrue\n{"id":3}\n',
    expect: {
      rows: [
        ['1', null],
        ['3', null],
      ],
      rejects: 5,
      dropped: 5,
    },
  },
  {
    title: 'rejects two objects on one line rather than lose one',
    columns: ids,
    binding: ndjson,
    answer: '{"id":1}{"id":2}\n{"id":3}\n',
    expect: { rows: [['3', null]], rejects: 1, dropped: 1 },
  },
  {
    title: 'rejects every line of an object that is printed over several',
    columns: ids,
    binding: ndjson,
    answer: '{"id":1}\n{\n  "id": 2\n}\n{"id":3}\n',
    expect: {
      rows: [
        ['1', null],
        ['3', null],
      ],
      rejects: 3,
      dropped: 3,
    },
  },
  {
    title: 'fails when every line is bad',
    columns: ids,
    binding: ndjson,
    answer: '<html>\n<body>Please log in</body>\n</html>\n',
    expect: { error: { kind: 'data', words: ['line'] }, calls: 1 },
  },
  {
    title: 'is zero rows for a blank text',
    columns: ids,
    binding: ndjson,
    answer: '\n \n',
    expect: { rows: [] },
  },
  {
    title: 'is zero rows for no block',
    columns: ids,
    binding: ndjson,
    answer: { result: { content: [] } },
    expect: { rows: [] },
  },
  {
    title: 'keeps escaped line ends and Unicode line separators inside strings',
    columns: ids,
    binding: ndjson,
    answer: '{"id":1,"name":"a\\nb"}\n{"id":2,"name":"c\u2028d\u0085e"}\n',
    expect: {
      rows: [
        ['1', 'a\nb'],
        ['2', 'c\u2028d\u0085e'],
      ],
    },
  },
  {
    title: 'reads every line whatever the others held',
    columns: { id: 'INTEGER', a: 'VARCHAR', b: 'JSON' },
    binding: ndjson,
    answer: '{"id":1}\n{"a":"x","id":2}\n{"b":{"k":[1,2]},"id":3}\n{}\n',
    expect: {
      rows: [
        [1, null, null],
        [2, 'x', null],
        [3, null, '{"k":[1,2]}'],
        [null, null, null],
      ],
    },
  },
  {
    title: 'takes trigger phrases in lines for data',
    columns: ids,
    binding: ndjson,
    answer:
      '{"id":1,"name":"Error: rate limit"}\n{"id":2,"name":"x","error":"boom","success":false,"status":"failed"}\n',
    expect: {
      rows: [
        ['1', 'Error: rate limit'],
        ['2', 'x'],
      ],
    },
  },
  {
    title: 'joins blocks by a newline',
    columns: ids,
    binding: ndjson,
    answer: { text: ['{"id":1}', '{"id":2}\n{"id":3}'] },
    expect: {
      rows: [
        ['1', null],
        ['2', null],
        ['3', null],
      ],
    },
  },
  {
    title: 'is capped by a last line about more rows, which is no reject',
    columns: ids,
    binding: ndjson,
    answer: { text: ['{"id":1}', '... and 12 more rows'] },
    expect: { outcome: 'source_capped', rows: [['1', null]] },
  },
  {
    title: 'reads the NaN and Infinity of Python json',
    columns: { v: 'DOUBLE' },
    binding: ndjson,
    answer: '{"v":NaN}\n{"v":-Infinity}\n{"v":1}\n',
    expect: { rows: [['NaN'], ['-Infinity'], [1]] },
  },
  {
    title: 'rejects a line that is cut off',
    columns: ids,
    binding: ndjson,
    answer: '{"id":1,"name":"a"}\n{"id":2,"name":"b',
    expect: { rows: [['1', 'a']], rejects: 1, dropped: 1 },
  },
  {
    title: 'reads a line of a megabyte',
    columns: ids,
    binding: ndjson,
    answer: `{"id":1,"name":"${'y'.repeat(1_000_000)}"}\n{"id":2}\n`,
    expect: {
      rows: [
        ['1', 'y'.repeat(1_000_000)],
        ['2', null],
      ],
    },
  },
  {
    title: 'drops rows that do not fit on request and keeps the count',
    columns: { id: 'TINYINT' },
    binding: { ...ndjson, on_reject: 'drop_row' },
    answer: '{"id":127}\n{"id":128}\nbad\n',
    expect: { rows: [[127]], rejects: 2, dropped: 2, rejectedIn: { id: 1 } },
  },
])

testAnswers('tsv', [
  {
    title: 'separates cells by tabs; commas are text',
    columns: ids,
    binding: tsv,
    answer: 'id\tname\n1\ta, b\n2\t\n3\t"c\td"\n',
    expect: {
      rows: [
        ['1', 'a, b'],
        ['2', null],
        ['3', 'c\td'],
      ],
    },
  },
  {
    title: 'counts a short row and leaves out a long one',
    columns: ids,
    binding: tsv,
    answer: 'id\tname\n1\n2\tb\tc\n3\td\n',
    expect: {
      rows: [
        ['1', null],
        ['3', 'd'],
      ],
      rejects: 2,
      dropped: 1,
    },
  },
  {
    title: 'is cut out between marks on request',
    columns: ids,
    binding: { ...tsv, extract: { between: ['<TSV_DATA>', '</TSV_DATA>'] } },
    answer: '<METADATA>\n<count>2</count>\n</METADATA>\n<TSV_DATA>\nid\tname\n1\ta\n2\tb\n</TSV_DATA>\n',
    expect: {
      rows: [
        ['1', 'a'],
        ['2', 'b'],
      ],
    },
  },
  {
    title: 'fails when the closing mark is missing, since rows are',
    columns: ids,
    binding: { ...tsv, extract: { between: ['<TSV_DATA>', '</TSV_DATA>'] } },
    answer: '<TSV_DATA>\nid\tname\n1\ta\n2\t',
    expect: { error: { kind: 'data', words: ['</TSV_DATA>'] } },
  },
  { title: 'is zero rows for a blank text', columns: ids, binding: tsv, answer: ' \n', expect: { rows: [] } },
  {
    title: 'keeps an empty first cell',
    columns: ids,
    binding: tsv,
    answer: 'id\tname\n\ta\n',
    expect: { rows: [[null, 'a']] },
  },
])
