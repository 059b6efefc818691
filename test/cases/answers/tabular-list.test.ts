import { testAnswers } from './test-answers.ts'

const tabular = { response_adapter: 'tabular_text' }
const columns = { host: 'VARCHAR', n: 'BIGINT' }

/** An answer of the list form with these `Row` lines. */
function list(names: string, ...rows: string[]): string {
  return ['Match Count: 9.0', `Column Names: ${names}`, '', 'Results:', ...rows].join('\n')
}

testAnswers('tabular_text, list form', [
  {
    title: 'reads rows counted from 0 or 1, with names split at commas',
    columns,
    binding: tabular,
    answer: list('host, n', "Row 0: ['web-1', 1]", "Row 1: ['web-2', 2]"),
    expect: {
      rows: [
        ['web-1', '1'],
        ['web-2', '2'],
      ],
    },
  },
  {
    title: 'reads both quotes and all escapes of Python strings',
    columns: { a: 'VARCHAR' },
    binding: tabular,
    answer: list(
      'a',
      String.raw`Row 1: ['C:\\dir\\new']`,
      `Row 2: ["it's"]`,
      String.raw`Row 3: ['both \' and "']`,
      String.raw`Row 4: ['\x41\u00e9\U0001f600\t\n\r\0']`,
      "Row 5: ['a, b]', ]",
      `Row 6: ["[1, 'x']"]`,
      String.raw`Row 7: ['\d+\.']`,
      "Row 8: ['']",
    ),
    expect: {
      rows: [
        ['C:\\dir\\new'],
        ["it's"],
        ['both \' and "'],
        ['Aé😀\t\n\r\0'],
        ['a, b]'],
        ["[1, 'x']"],
        ['\\d+\\.'],
        [''],
      ],
    },
  },
  {
    title: 'reads None, True, False and numbers exactly',
    columns: { n: 'BIGINT', f: 'DOUBLE', b: 'BOOLEAN', t: 'VARCHAR' },
    binding: { ...tabular, field_map: { t: 'n' } },
    answer: list(
      'n, f, b',
      'Row 1: [9007199254740993, 1.5, True]',
      'Row 2: [-7, 1e-07, False]',
      'Row 3: [None, None, None]',
      'Row 4: [0, nan, True]',
      'Row 5: [1, -inf, False]',
    ),
    expect: {
      rows: [
        ['9007199254740993', 1.5, true, '9007199254740993'],
        ['-7', 1e-7, false, '-7'],
        [null, null, null, null],
        ['0', 'NaN', true, '0'],
        ['1', '-Infinity', false, '1'],
      ],
    },
  },
  {
    title: 'makes JSON of nested lists, tuples and dicts',
    columns: { j: 'JSON', t: 'VARCHAR', l: 'VARCHAR[]' },
    binding: { ...tabular, field_map: { t: 'j' } },
    answer: list(
      'j, l',
      `Row 1: [{'a': [1, None, True], "b": {'c': 2.50}}, ['x', 'y']]`,
      'Row 2: [(1, 2), []]',
      'Row 3: [[], None]',
      'Row 4: [(1,), ()]',
      'Row 5: [{}, [None]]',
    ),
    expect: {
      rows: [
        ['{"a":[1,null,true],"b":{"c":2.50}}', '{"a":[1,null,true],"b":{"c":2.50}}', ['x', 'y']],
        ['[1,2]', '[1,2]', []],
        ['[]', '[]', null],
        ['[1]', '[1]', []],
        ['{}', '{}', [null]],
      ],
    },
  },
  {
    title: 'rejects a row whose list is cut off, inside a string, a number or between values',
    columns,
    binding: tabular,
    answer: list(
      'host, n',
      "Row 1: ['web-1', 1]",
      "Row 2: ['web",
      "Row 3: ['web-3', 3",
      "Row 4: ['web-4',",
      "Row 5: ['web-5', 5]",
    ),
    expect: {
      rows: [
        ['web-1', '1'],
        ['web-5', '5'],
      ],
      rejects: 3,
      dropped: 3,
      rejectWords: ["['web", "['web-4',"],
    },
  },
  {
    title: 'rejects a row of another length than the header',
    columns,
    binding: tabular,
    answer: list(
      'host, n',
      "Row 1: ['web-1']",
      "Row 2: ['web-2', 2, 3]",
      "Row 3: ['web-3', 3]",
      "Row 4: ['web-4', 4]",
    ),
    expect: {
      rows: [
        ['web-3', '3'],
        ['web-4', '4'],
      ],
      rejects: 2,
      dropped: 2,
    },
  },
  {
    title: 'rejects code and other things that are no literal',
    columns,
    binding: tabular,
    answer: list(
      'host, n',
      "Row 1: ['web-1', __import__('os')]",
      "Row 2: ['web-2', 1 + 1]",
      "Row 3: ['web-3', 3]",
      "Row 4: {'host': 1}",
    ),
    expect: { rows: [['web-3', '3']], rejects: 3, dropped: 3 },
  },
  {
    title: 'is not the pipe form because of its own Columns: line',
    columns,
    binding: tabular,
    answer: "Match Count: 1.0\nColumns: 2\nRows: 1\nColumn Names: host, n\n\nResults:\nRow 1: ['web | 1', 1]",
    expect: { rows: [['web | 1', '1']] },
  },
  {
    title: 'is capped when more rows are announced than printed',
    columns,
    binding: tabular,
    answer: `${list('host, n', "Row 1: ['web-1', 1]")}\n... and 12 more rows`,
    expect: { outcome: 'source_capped', rows: [['web-1', '1']] },
  },
  {
    title: 'is not capped by a cell that says so',
    columns,
    binding: tabular,
    answer: list('host, n', "Row 1: ['... and 12 more rows', 1]"),
    expect: { rows: [['... and 12 more rows', '1']] },
  },
  {
    title: 'is zero rows for a header without rows',
    columns,
    binding: tabular,
    answer: 'Match Count: 0.0\nColumns: 2\nRows: 0\nColumn Names: host, n\n\nResults:',
    expect: { rows: [] },
  },
  {
    title: 'is zero rows for counts of zero without a header',
    columns,
    binding: tabular,
    answer: 'Match Count: 0.0\nColumns: 0\nRows: 0\n\nResults:',
    expect: { rows: [] },
  },
  {
    title: 'reads CRLF',
    columns,
    binding: tabular,
    answer: "Column Names: host, n\r\nRow 1: ['a', 1]\r\nRow 2: ['b', 2]\r\n",
    expect: {
      rows: [
        ['a', '1'],
        ['b', '2'],
      ],
    },
  },
  {
    title: 'tells names with commas apart by the number of columns',
    columns: { total: 'INTEGER', host: 'VARCHAR' },
    binding: { ...tabular, field_map: { total: 'count(a, b)' } },
    answer: "Columns: 2\nColumn Names: count(a, b), host\n\nResults:\nRow 1: [3, 'web-1']",
    expect: { rows: [[3, 'web-1']] },
  },
  {
    title: 'keeps prototype keys in dicts',
    columns: { j: 'JSON', k: 'VARCHAR' },
    binding: { ...tabular, field_map: { k: 'j.__proto__' } },
    answer: list('j', "Row 1: [{'__proto__': 'x', 'constructor': 1}]"),
    expect: { rows: [['{"__proto__":"x","constructor":1}', 'x']] },
  },
  {
    title: 'rejects a row nested 20,000 levels deep and reads on',
    columns: { id: 'INTEGER', j: 'VARCHAR' },
    binding: tabular,
    answer: list('id, j', `Row 1: [1, ${'['.repeat(20_000)}${']'.repeat(20_000)}]`, 'Row 2: [2, None]'),
    expect: { rows: [[2, null]], rejects: 1, dropped: 1 },
  },
  {
    title: 'replaces lone surrogates',
    columns: { a: 'VARCHAR' },
    binding: tabular,
    answer: list('a', String.raw`Row 1: ['x\ud83dy']`, String.raw`Row 2: ['\ud83d\ude00']`),
    expect: { rows: [['x\ufffdy'], ['😀']] },
  },
  {
    title: 'maps dotted names and rejects values that do not fit',
    columns: { ip: 'VARCHAR', port: 'USMALLINT' },
    binding: { ...tabular, field_map: { ip: 'src.ip', port: 'src.port' } },
    answer: list(
      'src.ip, src.port',
      "Row 1: ['198.51.100.7', 443]",
      "Row 2: ['198.51.100.8', 65536]",
      "Row 3: ['x', '80']",
    ),
    expect: {
      rows: [
        ['198.51.100.7', 443],
        ['198.51.100.8', null],
        ['x', 80],
      ],
      rejects: 1,
      rejectedIn: { port: 1 },
    },
  },
])
