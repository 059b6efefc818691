import { testAnswers } from './test-answers.ts'

const values = (...texts: string[]) => `[${texts.map((text) => `{"v":${text}}`).join(',')}]`
const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
const deepObject = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`

testAnswers('text', [
  {
    title: 'keeps strings as they are',
    columns: { v: 'VARCHAR' },
    answer: values(
      '""',
      '" x "',
      '"null"',
      '"NaN"',
      '"tab\\tnul\\u0000esc\\u001b[31m"',
      '"\\u202egnp.exe\\u200b"',
      '"line\\r\\nend"',
      '"e\\u0301"',
      '"\\/"',
    ),
    expect: {
      rows: [
        [''],
        [' x '],
        ['null'],
        ['NaN'],
        ['tab\tnul\u0000esc\u001b[31m'],
        ['\u202egnp.exe\u200b'],
        ['line\r\nend'],
        ['e\u0301'],
        ['/'],
      ],
    },
  },
  {
    title: 'gives numbers their own digits and booleans their words',
    columns: { v: 'VARCHAR' },
    answer: values(
      '1',
      '1.0',
      '1.50',
      '1e3',
      '1E-7',
      '-0',
      '0.10',
      '12345678901234567890',
      '1e400',
      'true',
      'false',
      'null',
    ),
    expect: {
      rows: [
        ['1'],
        ['1.0'],
        ['1.50'],
        ['1e3'],
        ['1E-7'],
        ['-0'],
        ['0.10'],
        ['12345678901234567890'],
        ['1e400'],
        ['true'],
        ['false'],
        [null],
      ],
    },
  },
  {
    title: 'writes objects and arrays as compact JSON, keys and numbers as the source had them',
    columns: { v: 'VARCHAR' },
    answer: values(
      '{ "b" : 1.50, "a" : [ 1 , null , true, "x\\u0041\\/" ] }',
      '[]',
      '{}',
      '[[1.0]]',
      '{"10":1,"2":2}',
      '{"k":"é\\u0007\\"\\\\\\n"}',
    ),
    expect: {
      rows: [
        ['{"b":1.50,"a":[1,null,true,"xA/"]}'],
        ['[]'],
        ['{}'],
        ['[[1.0]]'],
        ['{"10":1,"2":2}'],
        ['{"k":"é\\u0007\\"\\\\\\n"}'],
      ],
    },
  },
  {
    title: 'replaces lone surrogates in values, nested values and raw bytes of text',
    columns: { v: 'VARCHAR' },
    answer: values('"a\\ud800b"', '"\\udc00"', '"\\ud83d\\ude00"', '["\\ud800"]', '{"\\udfff":1}'),
    expect: { rows: [['a\ufffdb'], ['\ufffd'], ['😀'], ['["\ufffd"]'], ['{"\ufffd":1}']] },
  },
  {
    title: 'takes off a byte order mark before JSON, and none inside it',
    columns: { v: 'VARCHAR' },
    answer: `\ufeff[{"v":"a\ufeffb"}]`,
    expect: { rows: [['a\ufeffb']] },
  },
  {
    title: 'survives 20,000 levels of nesting as text',
    columns: { v: 'VARCHAR' },
    answer: values(deep, deepObject, '"after"'),
    expect: { rows: [[deep], [deepObject], ['after']] },
  },
  {
    title: 'keeps a text of two megabytes',
    columns: { v: 'VARCHAR' },
    answer: values(`"${'ab😀'.repeat(500_000)}"`),
    expect: { rows: [['ab😀'.repeat(500_000)]] },
  },
  {
    title: 'keeps trigger phrases',
    columns: { v: 'VARCHAR' },
    answer: values(
      '"... and 3 more rows"',
      '"Error: rate limit"',
      '"No results found"',
      '"{{param}}"',
      '"$HOME"',
      '"```json"',
      '"Columns: a | b\\n---"',
    ),
    expect: {
      rows: [
        ['... and 3 more rows'],
        ['Error: rate limit'],
        ['No results found'],
        ['{{param}}'],
        ['$HOME'],
        ['```json'],
        ['Columns: a | b\n---'],
      ],
    },
  },
  {
    title: 'refuses control characters that JSON must escape, with the place',
    columns: { v: 'VARCHAR' },
    answer: '[{"v":"a\u0001b"}]',
    expect: { error: { kind: 'data', words: ['control character'] } },
  },
])

testAnswers('JSON columns', [
  {
    title: 'keeps JSON of any kind, compact, in the order and spelling of the source',
    columns: { v: 'JSON' },
    answer: values('{"b": 1.0, "a": [1e2, 12345678901234567890]}', '[1, 2]', '7', '1.50', 'true', 'null'),
    expect: {
      rows: [['{"b":1.0,"a":[1e2,12345678901234567890]}'], ['[1,2]'], ['7'], ['1.50'], ['true'], [null]],
    },
  },
  {
    title: 'takes a string that is JSON for that JSON and another string for a reject',
    columns: { v: 'JSON' },
    answer: values('"{\\"a\\": 1}"', '"[1]"', '"plain"', '"{broken"', '""'),
    expect: { rowCount: 5, rejects: 2, rejectedIn: { v: 2 }, rejectWords: ['plain', 'broken'] },
  },
  {
    title: 'survives 20,000 levels of nesting',
    columns: { v: 'JSON' },
    answer: values(deep),
    expect: { rows: [[deep]] },
  },
])

testAnswers('UUID and BLOB', [
  {
    title: 'reads UUIDs in their spellings',
    columns: { v: 'UUID' },
    answer: values(
      '"6F9619FF-8B86-D011-B42D-00CF4FC964FF"',
      '"6f9619ff8b86d011b42d00cf4fc964ff"',
      '"{6f9619ff-8b86-d011-b42d-00cf4fc964ff}"',
      '" 6f9619ff-8b86-d011-b42d-00cf4fc964ff "',
      '""',
    ),
    expect: {
      rows: [...Array.from({ length: 4 }, () => ['6f9619ff-8b86-d011-b42d-00cf4fc964ff']), [null]],
    },
  },
  {
    title: 'rejects what is no UUID',
    columns: { v: 'UUID' },
    answer: values(
      '"6f9619ff"',
      '"g f9619ff-8b86-d011-b42d-00cf4fc964ff"',
      '1',
      '"6f9619ff-8b86-d011-b42d-00cf4fc964ff-"',
    ),
    expect: { rowCount: 4, rejects: 4, rejectedIn: { v: 4 } },
  },
  {
    title: 'reads base64 and 0x hex',
    columns: { v: 'BLOB' },
    answer: values('"aGVsbG8="', '"aGVsbG8"', '"0x48690A"', '"0x"', '""', '"/+8="', '"_-8"'),
    expect: {
      rows: [['0x68656c6c6f'], ['0x68656c6c6f'], ['0x48690a'], ['0x'], ['0x'], ['0xffef'], ['0xffef']],
    },
  },
  {
    title: 'rejects what is neither',
    columns: { v: 'BLOB' },
    answer: values('"not base64!"', '"0x123"', '"0xZ!"', '7', '["aGk="]', '"a"'),
    expect: { rowCount: 6, rejects: 6, rejectedIn: { v: 6 } },
  },
])

testAnswers('lists', [
  {
    title: 'reads arrays by the element type',
    columns: { s: 'VARCHAR[]', n: 'BIGINT[]', t: 'TIMESTAMP[]' },
    answer:
      '[{"s":["a",1,null,{"k":1}],"n":[1,"2",9007199254740993],"t":["2026-04-05T00:00:00Z",1775369228]},{"s":[],"n":null}]',
    expect: {
      rows: [
        [
          ['a', '1', null, '{"k":1}'],
          ['1', '2', '9007199254740993'],
          ['2026-04-05T00:00:00.000000Z', '2026-04-05T06:07:08.000000Z'],
        ],
        [[], null, null],
      ],
    },
  },
  {
    title: 'counts every element that does not fit and keeps the others',
    columns: { n: 'INTEGER[]' },
    answer: '[{"n":[1,"x",3,2.5]},{"n":[7]}]',
    expect: { rows: [[[1, null, 3, null]], [[7]]], rejects: 2, rejectedIn: { n: 2 } },
  },
  {
    title: 'rejects an object and a number in place of a list',
    columns: { n: 'INTEGER[]' },
    answer: '[{"n":{"a":1}},{"n":5}]',
    expect: { rows: [[null], [null]], rejects: 2, rejectedIn: { n: 2 } },
  },
  {
    title: 'reads a text that is a JSON array, as csv has it',
    columns: { id: 'INTEGER', s: 'VARCHAR[]' },
    binding: { response_format: 'csv' },
    answer: 'id,s\n1,"[""a"",""b""]"\n2,\n',
    expect: {
      rows: [
        [1, ['a', 'b']],
        [2, null],
      ],
    },
  },
])
