import { testAnswers } from './test-answers.ts'

const columns = { host: 'VARCHAR', n: 'BIGINT' }

testAnswers('matrix rows', [
  {
    title: 'zips arrays with the names at columns_path',
    columns,
    binding: { items_path: 'rows', columns_path: 'columns' },
    answer: '{"columns":["n","host"],"rows":[[1,"web-1"],[9007199254740993,null]]}',
    expect: {
      rows: [
        ['web-1', '1'],
        [null, '9007199254740993'],
      ],
    },
  },
  {
    title: 'takes names from objects with a name',
    columns,
    binding: { items_path: 'values', columns_path: 'columns' },
    answer:
      '{"columns":[{"name":"host","type":"keyword"},{"name":"n","type":"long"}],"values":[["web-1",1]]}',
    expect: { rows: [['web-1', '1']] },
  },
  {
    title: 'finds names and rows deep in the answer',
    columns,
    binding: {
      items_path: 'results[type=table].data.values',
      columns_path: 'results[type=table].data.columns',
    },
    answer:
      '{"results":[{"type":"query"},{"type":"table","data":{"columns":["host","n"],"values":[["a",1]]}}]}',
    expect: { rows: [['a', '1']] },
  },
  {
    title: 'rejects rows of another width than the names',
    columns,
    binding: { items_path: 'rows', columns_path: 'columns' },
    answer: '{"columns":["host","n"],"rows":[["a"],["b",2],["c",3,4],[]]}',
    expect: { rows: [['b', '2']], rejects: 3, dropped: 3, rejectWords: ['["a"]', '["c",3,4]', '[]'] },
  },
  {
    title: 'numbers names that come twice',
    columns: { host: 'VARCHAR', host_2: 'VARCHAR' },
    binding: { items_path: 'rows', columns_path: 'columns' },
    answer: '{"columns":["host","host"],"rows":[["a","b"]]}',
    expect: { rows: [['a', 'b']] },
  },
  {
    title: 'keeps objects among matrix rows as rows',
    columns,
    binding: { items_path: 'rows', columns_path: 'columns' },
    answer: '{"columns":["host","n"],"rows":[["a",1],{"host":"b","n":2},"x"]}',
    expect: {
      rows: [
        ['a', '1'],
        ['b', '2'],
      ],
      rejects: 1,
      dropped: 1,
    },
  },
  {
    title: 'rejects arrays when nothing names their columns',
    columns,
    binding: { items_path: 'rows' },
    answer: '{"columns":["host","n"],"rows":[["a",1],["b",2]]}',
    expect: { rows: [], rejects: 2, dropped: 2 },
  },
  {
    title: 'fails when columns_path is not in the answer',
    columns,
    binding: { items_path: 'rows', columns_path: 'cols' },
    answer: '{"columns":["host","n"],"rows":[["a",1]]}',
    expect: { error: { kind: 'data', words: ['cols', 'columns'] } },
  },
  {
    title: 'is zero rows for no rows, names or not',
    columns,
    binding: { items_path: 'rows', columns_path: 'columns' },
    answer: '{"columns":[],"rows":[]}',
    expect: { rows: [] },
  },
  {
    title: 'names the columns by the first row on request',
    columns,
    binding: { rows: 'matrix', header_row: 'every_page' },
    answer: '[["host","n"],["a",1],["b",2]]',
    expect: {
      rows: [
        ['a', '1'],
        ['b', '2'],
      ],
    },
  },
  {
    title: 'reads cells at cell_path, an empty object being null',
    columns,
    binding: {
      items_path: 'Rows',
      item_path: 'Data',
      rows: 'matrix',
      header_row: 'every_page',
      cell_path: 'VarCharValue',
    },
    answer:
      '{"Rows":[{"Data":[{"VarCharValue":"host"},{"VarCharValue":"n"}]},{"Data":[{"VarCharValue":"a"},{"VarCharValue":"1"}]},{"Data":[{},{"VarCharValue":"2"}]}]}',
    expect: {
      rows: [
        ['a', '1'],
        [null, '2'],
      ],
    },
  },
  {
    title: 'puts columns side by side with rows: columns',
    columns,
    binding: { rows: 'columns' },
    answer: '{"host":["a","b"],"n":[1,2],"took":5}',
    expect: {
      rows: [
        ['a', '1'],
        ['b', '2'],
      ],
    },
  },
  {
    title: 'fails on columns of different lengths',
    columns,
    binding: { rows: 'columns', items_path: 'data' },
    answer: '{"data":{"host":["a","b"],"n":[1]}}',
    expect: { error: { kind: 'data', words: ['different lengths'] } },
  },
  {
    title: 'keeps arrays inside cells as compact JSON',
    columns: { host: 'VARCHAR', tags: 'VARCHAR[]', j: 'JSON' },
    binding: { items_path: 'rows', columns_path: 'columns' },
    answer: '{"columns":["host","tags","j"],"rows":[[["a", "b"],["x"],{"k": 1.0}]]}',
    expect: { rows: [['["a","b"]', ['x'], '{"k":1.0}']] },
  },
  {
    title: 'keeps names with dots and prototype names',
    columns: { a: 'VARCHAR', b: 'VARCHAR', c: 'VARCHAR' },
    binding: {
      items_path: 'rows',
      columns_path: 'columns',
      field_map: { a: 'host.name', b: '__proto__', c: 'constructor' },
    },
    answer: '{"columns":["host.name","__proto__","x"],"rows":[["a","b","c"]]}',
    expect: { rows: [['a', 'b', null]] },
  },
  {
    title: 'counts rejects in matrix cells by column',
    columns,
    binding: { items_path: 'rows', columns_path: 'columns' },
    answer: '{"columns":["host","n"],"rows":[["a","x"],["b",1.5],["c",3]]}',
    expect: {
      rows: [
        ['a', null],
        ['b', null],
        ['c', '3'],
      ],
      rejects: 2,
      rejectedIn: { n: 2 },
    },
  },
])
