import { testAnswers } from './test-answers.ts'

const columns = { id: 'BIGINT', name: 'VARCHAR' }

testAnswers('combinations', [
  {
    title: 'keeps integers beyond 2^53 of structuredContent exact',
    columns: { id: 'BIGINT', text: 'VARCHAR', d: 'DECIMAL(20,4)' },
    binding: { field_map: { text: 'id' } },
    answer: {
      resultText:
        '{"content":[{"type":"text","text":"two rows"}],"structuredContent":{"result":[{"id":9007199254740993,"d":0.10},{"id":-9223372036854775808,"d":1234567890123456.0001}]}}',
    },
    expect: {
      rows: [
        ['9007199254740993', '9007199254740993', '0.1000'],
        ['-9223372036854775808', '-9223372036854775808', '1234567890123456.0001'],
      ],
    },
  },
  {
    title: 'keeps the spelling of numbers and the order of keys of structuredContent',
    columns: { j: 'JSON', v: 'VARCHAR' },
    answer: {
      resultText: '{"content":[],"structuredContent":{"result":[{"j":{"10":1.50,"2":1e3},"v":1.0}]}}',
    },
    expect: { rows: [['{"10":1.50,"2":1e3}', '1.0']] },
  },
  {
    title: 'keeps prototype keys of structuredContent',
    columns: { proto: 'VARCHAR', constructor: 'VARCHAR' },
    binding: { field_map: { proto: '__proto__.x' } },
    answer: { resultText: '{"content":[],"structuredContent":{"result":[{"__proto__":{"x":"p"}},{}]}}' },
    expect: {
      rows: [
        ['p', null],
        [null, null],
      ],
    },
  },
  {
    title: 'takes structuredContent beside an empty text',
    columns,
    answer: { text: '', structured: { result: [{ id: 1, name: 'a' }] } },
    expect: { rows: [['1', 'a']] },
  },
  {
    title: 'is zero rows for an empty list of structuredContent',
    columns,
    answer: { result: { content: [], structuredContent: { result: [] } } },
    expect: { rows: [] },
  },
  {
    title: 'is zero rows for a null result of structuredContent',
    columns,
    answer: { result: { content: [], structuredContent: { result: null } } },
    expect: { rows: [] },
  },
  {
    title: 'reads JSON held as text in structuredContent',
    columns,
    answer: {
      result: { content: [], structuredContent: { result: '[{"id":9007199254740993,"name":"a"}]' } },
    },
    expect: { rows: [['9007199254740993', 'a']] },
  },
  {
    title: 'rejects a bracketed block that is no JSON beside rows, and never passes it over',
    columns,
    answer: { text: ['[INFO] 1 row', '[{"id":1,"name":"a"}]'] },
    expect: { rows: [['1', 'a']], rejects: 1, dropped: 1, rejectWords: ['[INFO] 1 row'] },
  },
  {
    title: 'rejects a broken block behind blanks',
    columns,
    answer: { text: ['[{"id":1}]', '\n  {"id":2, "name": "cut'] },
    expect: { rows: [['1', null]], rejects: 1, dropped: 1 },
  },
  {
    title: 'is not led astray by braces in the prose around a fence',
    columns,
    answer:
      'Result for {host} and [user]:\n\n```json\n[{"id":1,"name":"a"}]\n```\nUse {"limit": 10} for less.',
    expect: { rows: [['1', 'a']] },
  },
  {
    title: 'fails on a fence that is cut off rather than take a part of it',
    columns,
    answer: 'Rows:\n```json\n[{"id":1,"name":"a"},{"id":2,\n```',
    expect: { error: { kind: 'data' } },
  },
  {
    title: 'fails on JSON with trailing commas and comments',
    columns,
    answer: '[{"id":1,},]',
    expect: { error: { kind: 'data', words: ['json'] } },
  },
  {
    title: 'passes over words behind a whole array',
    columns,
    answer: '[{"id":1}] trailing',
    expect: { rowCount: 1 },
  },
  {
    title: 'follows items_path in fenced JSON and judges its error',
    columns,
    binding: { items_path: 'rows' },
    answer: 'Here:\n```json\n{"rows":[],"error":"quota of the day is spent"}\n```',
    expect: { error: { kind: 'transient', words: ['quota'] } },
  },
  {
    title: 'drops a short csv row with drop_row, for it is not whole',
    columns: { a: 'VARCHAR', b: 'VARCHAR', c: 'VARCHAR' },
    binding: { response_format: 'csv', on_reject: 'drop_row' },
    answer: 'a,b,c\n1,2,3\n4\n5,6,7,8\n9,10\n11,12,13\n',
    expect: {
      rows: [
        ['1', '2', '3'],
        ['11', '12', '13'],
      ],
      rejects: 3,
      dropped: 3,
    },
  },
  {
    title: 'fails on a short csv row with on_reject: fail',
    columns: { a: 'VARCHAR', b: 'VARCHAR' },
    binding: { response_format: 'csv', on_reject: 'fail' },
    answer: 'a,b\n1,2\n3\n',
    expect: { error: { kind: 'data' }, rejects: 1 },
  },
  {
    title: 'rejects missing cells of a short row in required columns, once for the row and once per value',
    columns: { a: 'VARCHAR', b: { type: 'VARCHAR', required: true } },
    binding: { response_format: 'csv' },
    answer: 'a,b\n1\n2,x\n3,\n4,""\n',
    expect: {
      rows: [
        ['1', null],
        ['2', 'x'],
        ['3', null],
        ['4', ''],
      ],
      rejects: 3,
      rejectedIn: { b: 2 },
    },
  },
  {
    title: 'writes lists of every type',
    columns: {
      b: 'BOOLEAN[]',
      i: 'SMALLINT[]',
      u: 'UBIGINT[]',
      f: 'DOUBLE[]',
      d: 'DECIMAL(9,2)[]',
      day: 'DATE[]',
      t: 'TIME[]',
      id: 'UUID[]',
      x: 'BLOB[]',
      j: 'JSON[]',
      s: 'TEXT[]',
      h: 'HUGEINT[]',
    },
    answer: {
      json: [
        {
          b: [true, 'no', null],
          i: [1, '2'],
          u: ['18446744073709551615'],
          f: [1.5, 'NaN'],
          d: ['1.5', 2],
          day: ['2026-04-05'],
          t: ['06:07'],
          id: ['6F9619FF8B86D011B42D00CF4FC964FF'],
          x: ['0x00ff'],
          j: [{ a: 1 }, [2], 'x'],
          s: ['', null, 'é'],
          h: ['99999999999999999999'],
        },
        {},
        { b: [], s: [] },
      ],
    },
    expect: {
      rows: [
        [
          [true, false, null],
          [1, 2],
          ['18446744073709551615'],
          [1.5, 'NaN'],
          ['1.50', '2.00'],
          ['2026-04-05'],
          ['06:07:00.000000'],
          ['6f9619ff-8b86-d011-b42d-00cf4fc964ff'],
          ['0x00ff'],
          ['{"a":1}', '[2]', null],
          ['', null, 'é'],
          ['99999999999999999999'],
        ],
        Array.from({ length: 12 }, () => null),
        [[], null, null, null, null, null, null, null, null, null, [], null],
      ],
      rejects: 1,
      rejectedIn: { j: 1 },
    },
  },
  {
    title: 'takes a format and a zone for the elements of a list',
    columns: { t: { type: 'TIMESTAMP[]', format: 'yyyy/MM/dd HH:mm', timezone: 'Asia/Tokyo' } },
    answer: { json: [{ t: ['2026/04/05 09:00', '2026-04-05'] }] },
    expect: { rows: [[['2026-04-05T00:00:00.000000Z', null]]], rejects: 1, rejectedIn: { t: 1 } },
  },
  {
    title: 'writes columns with names of SQL and of 64 characters',
    columns: { select: 'INTEGER', order: 'VARCHAR', [`c${'x'.repeat(63)}`]: 'VARCHAR', _1: 'VARCHAR' },
    answer: { json: [{ select: 1, order: 'a', [`c${'x'.repeat(63)}`]: 'b', _1: 'c' }] },
    expect: { rows: [[1, 'a', 'b', 'c']] },
  },
  {
    title: 'makes columns null for every row when all values are null or missing',
    columns: {
      a: 'INTEGER',
      b: 'VARCHAR',
      c: 'TIMESTAMP',
      d: 'JSON',
      e: 'VARCHAR[]',
      f: 'DECIMAL(5,1)',
      g: 'UUID',
    },
    answer: { json: [{ a: null, b: null, c: null, d: null, e: null, f: null, g: null }, {}] },
    expect: { rows: Array.from({ length: 2 }, () => Array.from({ length: 7 }, () => null)) },
  },
  {
    title: 'reads twenty thousand rows in order',
    columns: { id: 'INTEGER' },
    binding: { max_rows: 30_000 },
    answer: { json: Array.from({ length: 20_000 }, (_, id) => ({ id })) },
    expect: { rows: Array.from({ length: 20_000 }, (_, id) => [id]) },
  },
  {
    title: 'reads a row of two thousand fields',
    columns: { f1999: 'INTEGER', f0: 'INTEGER' },
    answer: { json: [Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`f${at}`, at]))] },
    expect: { rows: [[1999, 0]] },
  },
  {
    title: 'reads an embedded resource beside prose when asked',
    columns,
    binding: { content: { from: 'resource' }, response_format: 'csv' },
    answer: {
      result: {
        content: [
          { type: 'text', text: 'id,name\n9,prose' },
          { type: 'resource', resource: { uri: 'mem://a.csv', mimeType: 'text/csv', text: 'id,name\n1,a' } },
        ],
      },
    },
    expect: { rows: [['1', 'a']] },
  },
  {
    title: 'takes the csv in one of several blocks',
    columns,
    binding: { response_format: 'csv', content: { blocks: 'last' } },
    answer: { text: ['2 rows, see below', 'id,name\n1,a\n2,b'] },
    expect: {
      rows: [
        ['1', 'a'],
        ['2', 'b'],
      ],
    },
  },
  {
    title: 'cuts csv behind a preamble',
    columns,
    binding: { response_format: 'csv', extract: { after: 'Export complete\\.\\n' } },
    answer: 'Took 3 s\nExport complete.\nid,name\n1,a\n',
    expect: { rows: [['1', 'a']] },
  },
  {
    title: 'maps, coalesces, nulls and rejects in one table',
    columns: {
      id: { type: 'BIGINT', required: true },
      who: 'VARCHAR',
      at: { type: 'TIMESTAMP', format: 'ms' },
      score: { type: 'DECIMAL(3,1)', round: 'half_even' },
      raw: 'JSON',
      kind: 'VARCHAR',
    },
    binding: {
      items_path: 'data.edges',
      item_path: 'node',
      null_values: ['N/A'],
      dedupe_key: 'id',
      on_reject: 'drop_row',
      field_map: { who: ['actor.name', 'actor.id'], at: 'times[0]', raw: '$', kind: { value: 'alert' } },
    },
    answer:
      '{"data":{"edges":[{"node":{"id":1,"actor":{"name":"N/A","id":7},"times":[1500],"score":1.25}},{"node":{"id":1,"score":9}},{"node":{"id":"N/A"}},{"node":{"id":2,"score":"high"}},{"node":{"id":3,"actor":{},"times":[]}},{"nod":1}]}}',
    expect: {
      rows: [
        [
          '1',
          '7',
          '1970-01-01T00:00:01.500000Z',
          '1.2',
          '{"id":1,"actor":{"name":"N/A","id":7},"times":[1500],"score":1.25}',
          'alert',
        ],
        ['3', null, null, null, '{"id":3,"actor":{},"times":[]}', 'alert'],
      ],
      rejects: 3,
      rejectedIn: { id: 1, score: 1 },
      dropped: 3,
      duplicates: 1,
    },
  },
  {
    title: 'reads the sum of several envelopes with their totals as rows of one page',
    columns,
    binding: { items_path: 'hits' },
    answer: { text: ['{"hits":[{"id":1}],"truncated":false}', '{"hits":[{"id":2}],"truncated":true}'] },
    expect: {
      outcome: 'source_capped',
      rows: [
        ['1', null],
        ['2', null],
      ],
    },
  },
])

testAnswers('two pages', [
  {
    title: 'keeps types and order over pages whose rows differ',
    columns: { id: 'INTEGER', a: 'VARCHAR', b: 'JSON' },
    binding: {
      items_path: 'rows',
      pagination: { mode: 'cursor', cursor_param: 'c', next_cursor_path: 'next', page_size: 2 },
    },
    answer: [
      { when: { c: { $absent: true } }, json: { rows: [{ id: 1, a: 'x' }], next: 'n' } },
      {
        json: {
          rows: [
            { id: 'two', b: { k: 1 } },
            { id: 3, a: 4 },
          ],
          next: null,
        },
      },
    ],
    expect: {
      rows: [
        [1, 'x', null],
        [null, null, '{"k":1}'],
        [3, '4', null],
      ],
      rejects: 1,
      rejectedIn: { id: 1 },
      calls: 2,
    },
  },
  {
    title: 'reads a csv page with the columns in another order',
    columns,
    binding: {
      response_format: 'csv',
      pagination: { mode: 'offset', offset_param: 'o', limit_param: 'n', page_size: 2 },
    },
    answer: [
      { when: { o: 0 }, text: 'id,name\n1,a\n2,b\n' },
      { when: { o: 2 }, text: 'name,id\nc,3\n' },
    ],
    expect: {
      rows: [
        ['1', 'a'],
        ['2', 'b'],
        ['3', 'c'],
      ],
      calls: 2,
    },
  },
  {
    title: 'drops doubles over pages',
    columns,
    binding: {
      dedupe_key: 'id',
      pagination: { mode: 'offset', offset_param: 'o', limit_param: 'n', page_size: 2 },
    },
    answer: [
      { when: { o: 0 }, json: [{ id: 1 }, { id: 2 }] },
      { when: { o: 2 }, json: [{ id: 2 }] },
    ],
    expect: {
      rows: [
        ['1', null],
        ['2', null],
      ],
      duplicates: 1,
      calls: 2,
    },
  },
])
