import { testAnswers } from './test-answers.ts'

/** One column `v` that is read from a path of the row. */
const at = (path: string) => ({ field_map: { v: path } })
const v = { v: 'VARCHAR' }

testAnswers('paths', [
  {
    title: 'reads nested keys',
    columns: v,
    binding: at('a.b.c'),
    answer: '[{"a":{"b":{"c":"x"}}},{"a":{"b":{}}},{"a":{"b":null}},{"a":1},{}]',
    expect: { rows: [['x'], [null], [null], [null], [null]] },
  },
  {
    title: 'prefers the exact key, then the longest prefix',
    columns: v,
    binding: at('a.b.c'),
    answer:
      '[{"a.b.c":"1","a.b":{"c":"2"},"a":{"b.c":"3"}},{"a.b":{"c":"2"},"a":{"b.c":"3"}},{"a":{"b.c":"3","b":{"c":"4"}}},{"a":{"b":{"c":"4"}}}]',
    expect: { rows: [['1'], ['2'], ['3'], ['4']] },
  },
  {
    title: 'goes on to a shorter prefix when the longer leads nowhere',
    columns: v,
    binding: at('a.b.c'),
    answer: '[{"a.b":{"x":1},"a":{"b":{"c":"yes"}}},{"a.b":"text","a":{"b":{"c":"yes"}}}]',
    expect: { rows: [['yes'], ['yes']] },
  },
  {
    title: 'takes a null at the exact key for the value',
    columns: v,
    binding: at('a.b'),
    answer: '[{"a.b":null,"a":{"b":"nested"}}]',
    expect: { rows: [[null]] },
  },
  {
    title: 'reads keys with dots below the first level',
    columns: v,
    binding: at('event.process.name'),
    answer: '[{"event":{"process.name":"sh"}},{"event.process":{"name":"zsh"}}]',
    expect: { rows: [['sh'], ['zsh']] },
  },
  {
    title: 'indexes arrays from both ends, also twice in a row',
    columns: { first: 'VARCHAR', last: 'VARCHAR', deep: 'INTEGER', out: 'VARCHAR' },
    binding: { field_map: { first: 'ips[0]', last: 'ips[-1]', deep: 'm[1][0]', out: 'ips[9]' } },
    answer: '[{"ips":["a","b","c"],"m":[[1,2],[3,4]]},{"ips":[],"m":[]},{"ips":"no array","m":{"1":2}}]',
    expect: {
      rows: [
        ['a', 'c', 3, null],
        [null, null, null, null],
        [null, null, null, null],
      ],
    },
  },
  {
    title: 'goes on behind an index',
    columns: v,
    binding: at('targets[0].user.name'),
    answer: '[{"targets":[{"user":{"name":"kim"}},{"user":{"name":"lee"}}]}]',
    expect: { rows: [['kim']] },
  },
  {
    title: 'quotes keys with dots, brackets and blanks',
    columns: { a: 'VARCHAR', b: 'VARCHAR', c: 'VARCHAR' },
    binding: { field_map: { a: 'x["key with.dots"].y', b: '["a[0]"]', c: 'Basic Info["IP Address"]' } },
    answer: '[{"x":{"key with.dots":{"y":"1"}},"a[0]":"2","Basic Info":{"IP Address":"3"}}]',
    expect: { rows: [['1', '2', '3']] },
  },
  {
    title: 'reads keys with blanks, signs and brackets without quotes',
    columns: { a: 'VARCHAR', b: 'VARCHAR', c: 'VARCHAR', d: 'VARCHAR' },
    binding: { field_map: { a: 'IP Address', b: '@timestamp', c: 'values(host)', d: 'values[host]' } },
    answer: '[{"IP Address":"1","@timestamp":"2","values(host)":"3","values[host]":"4"}]',
    expect: { rows: [['1', '2', '3', '4']] },
  },
  {
    title: 'picks the first element of an array that matches',
    columns: { v: 'VARCHAR', n: 'VARCHAR' },
    binding: { field_map: { v: 'ids[type=sha256].value', n: 'ids[n=2].value' } },
    answer:
      '[{"ids":[{"type":"md5","value":"m","n":1},{"type":"sha256","value":"s","n":2},{"type":"sha256","value":"t"}]},{"ids":[{"type":"md5"}]},{"ids":[]}]',
    expect: {
      rows: [
        ['s', 's'],
        [null, null],
        [null, null],
      ],
    },
  },
  {
    title: 'selects and indexes in items_path',
    columns: { id: 'INTEGER' },
    binding: { items_path: 'results[type=rows].data[-1]' },
    answer:
      '{"results":[{"type":"query","data":[]},{"type":"rows","data":[[{"id":9}],[{"id":1},{"id":2}]]}]}',
    expect: { rows: [[1], [2]] },
  },
  {
    title: 'reads numeric keys of objects',
    columns: v,
    binding: at('a.0'),
    answer: '[{"a":{"0":"x"}},{"a":["y"]}]',
    expect: { rows: [['x'], [null]] },
  },
  {
    title: 'reads hostile keys as data, and finds no functions where there is no key',
    columns: { a: 'VARCHAR', b: 'VARCHAR', c: 'VARCHAR', length: 'VARCHAR' },
    binding: { field_map: { a: '__proto__.x', b: 'constructor.name', c: 'a.toString' } },
    answer:
      '[{"__proto__":{"x":"p"},"constructor":{"name":"n"},"a":{"toString":"s"}},{"a":{}},{"a":[]},{"a":"text"}]',
    expect: {
      rows: [
        ['p', 'n', 's', null],
        [null, null, null, null],
        [null, null, null, null],
        [null, null, null, null],
      ],
    },
  },
  {
    title: 'reads the empty key',
    columns: v,
    binding: at('a.'),
    answer: '[{"a":{"":"x"}},{"a.":"y"}]',
    expect: { rows: [['x'], ['y']] },
  },
  {
    title: 'reads keys in any script and with emoji',
    columns: { a: 'VARCHAR', b: 'VARCHAR' },
    binding: { field_map: { a: 'Gerät.Name', b: '😀' } },
    answer: '[{"Gerät":{"Name":"x"},"😀":"y"}]',
    expect: { rows: [['x', 'y']] },
  },
  {
    title: 'takes a column from the field of its own name, never nested',
    columns: { host: 'VARCHAR', host_name: 'VARCHAR' },
    answer: '[{"host":{"name":"x"},"host_name":"y"}]',
    expect: { rows: [['{"name":"x"}', 'y']] },
  },
])

testAnswers('mapping', [
  {
    title: 'takes the first of a list that is not null',
    columns: v,
    binding: { field_map: { v: ['a', 'b.c', { value: 'none' }] } },
    answer: '[{"a":"1","b":{"c":"2"}},{"a":null,"b":{"c":"2"}},{"b":null},{"a":"","b":{"c":"2"}},{"a":0}]',
    expect: { rows: [['1'], ['2'], ['none'], [''], ['0']] },
  },
  {
    title: 'passes over texts of null_values when it coalesces',
    columns: v,
    binding: { field_map: { v: ['a', 'b'] }, null_values: ['-', 'Unknown'] },
    answer: '[{"a":"-","b":"x"},{"a":"Unknown","b":"-"},{"a":"unknown"}]',
    expect: { rows: [['x'], [null], ['unknown']] },
  },
  {
    title: 'writes constants of any type, coerced to the column',
    columns: { s: 'VARCHAR', n: 'INTEGER', b: 'BOOLEAN', j: 'JSON', l: 'VARCHAR[]', z: 'VARCHAR' },
    binding: {
      field_map: {
        s: { value: 'fixed' },
        n: { value: '42' },
        b: { value: true },
        j: { value: { a: [1] } },
        l: { value: ['x'] },
        z: { value: null },
      },
    },
    answer: '[{"s":"ignored"},{}]',
    expect: {
      rows: [
        ['fixed', 42, true, '{"a":[1]}', ['x'], null],
        ['fixed', 42, true, '{"a":[1]}', ['x'], null],
      ],
    },
  },
  {
    title: 'counts a constant that does not fit for every row',
    columns: { n: 'INTEGER' },
    binding: { field_map: { n: { value: 'x' } } },
    answer: '[{},{}]',
    expect: { rows: [[null], [null]], rejects: 2, rejectedIn: { n: 2 } },
  },
  {
    title: 'writes the whole source row as JSON for $',
    columns: { id: 'INTEGER', raw: 'JSON', text: 'VARCHAR' },
    binding: { field_map: { raw: '$', text: '$' } },
    answer: '[{"b":2.50,"id":1,"a":{"z":[null,true]},"__proto__":{"x":1}}]',
    expect: {
      rows: [
        [
          1,
          '{"b":2.50,"id":1,"a":{"z":[null,true]},"__proto__":{"x":1}}',
          '{"b":2.50,"id":1,"a":{"z":[null,true]},"__proto__":{"x":1}}',
        ],
      ],
    },
  },
  {
    title: 'writes a csv row as JSON for $',
    columns: { raw: 'JSON' },
    binding: { response_format: 'csv', field_map: { raw: '$' } },
    answer: 'id,name\n1,"a ""b"""\n2,\n',
    expect: { rows: [['{"id":"1","name":"a \\"b\\""}'], ['{"id":"2","name":null}']] },
  },
  {
    title: 'maps by semantic, field_map over overrides over the own name',
    columns: {
      src: { type: 'VARCHAR', semantic: 'source.ip' },
      dst: { type: 'VARCHAR', semantic: 'destination.ip' },
      port: { type: 'INTEGER', semantic: 'port' },
    },
    binding: { field_map: { dst: 'mapped' } },
    overrides: { 'source.ip': 'net.src', 'destination.ip': 'net.dst' },
    answer: '[{"net":{"src":"s","dst":"d"},"mapped":"m","src":"own","dst":"own","port":7}]',
    expect: { rows: [['s', 'm', 7]] },
  },
  {
    title: 'reads several columns from one field',
    columns: { id: 'BIGINT', id_text: 'VARCHAR', id_list: 'BIGINT[]' },
    binding: { field_map: { id_text: 'id', id_list: 'id' } },
    answer: '[{"id":9007199254740993}]',
    expect: {
      rows: [['9007199254740993', '9007199254740993', null]],
      rejects: 1,
      rejectedIn: { id_list: 1 },
    },
  },
  {
    title: 'leaves a column null that nothing fills, whatever the others hold',
    columns: { a: 'VARCHAR', b: 'INTEGER' },
    answer: '[{"a":"x"},{"a":"y"}]',
    expect: {
      rows: [
        ['x', null],
        ['y', null],
      ],
    },
  },
  {
    title: 'drops doubles by dedupe_key, counted, the first wins',
    columns: { id: 'BIGINT', v: 'VARCHAR' },
    binding: { dedupe_key: 'id' },
    answer:
      '[{"id":1,"v":"a"},{"id":2,"v":"b"},{"id":1,"v":"c"},{"id":"1","v":"text"},{"id":null,"v":"d"},{"v":"e"},{"id":null,"v":"f"}]',
    expect: {
      rows: [
        ['1', 'a'],
        ['2', 'b'],
        ['1', 'text'],
        [null, 'd'],
        [null, 'e'],
        [null, 'f'],
      ],
      duplicates: 1,
    },
  },
  {
    title: 'keeps apart keys of several fields and keys beyond 2^53',
    columns: { a: 'BIGINT', b: 'VARCHAR' },
    binding: { dedupe_key: ['a', 'm.b'], field_map: { b: 'm.b' } },
    answer:
      '[{"a":9007199254740992,"m":{"b":"x"}},{"a":9007199254740993,"m":{"b":"x"}},{"a":9007199254740993,"m":{"b":"y"}},{"a":9007199254740993,"m":{"b":"x"}}]',
    expect: {
      rows: [
        ['9007199254740992', 'x'],
        ['9007199254740993', 'x'],
        ['9007199254740993', 'y'],
      ],
      duplicates: 1,
    },
  },
])
