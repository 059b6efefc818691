import { cpuTime } from '@huntfleet/testing'
import { describe, expect, it } from 'vitest'
import { compactJson } from '../src/json/compact.ts'
import { parseExact } from '../src/json/parse-exact.ts'
import { compilePath, readPath, tracePath } from '../src/path.ts'

function read(document: string, path: string): string | undefined {
  const value = readPath(parseExact(document), compilePath(path))
  return value === undefined ? undefined : compactJson(value)
}

describe('readPath', () => {
  const places: [document: string, path: string, value: string | undefined][] = [
    ['{"a":1}', 'a', '1'],
    ['{"a":null}', 'a', 'null'],
    ['{"a":1}', 'b', undefined],
    ['{"a":{"b":{"c":2}}}', 'a.b.c', '2'],
    // At each level the literal key comes first, then the longest prefix.
    ['{"foo.bar":666,"foo":{"bar":333}}', 'foo.bar', '666'],
    ['{"foo":{"bar":333}}', 'foo.bar', '333'],
    ['{"a":{"b.c":"literal in nested"}}', 'a.b.c', '"literal in nested"'],
    ['{"a.b":{"c":"nested in literal"}}', 'a.b.c', '"nested in literal"'],
    ['{"a.b":{"c":1},"a":{"b.c":2}}', 'a.b.c', '1'],
    ['{"a.b":{"x":1},"a":{"b":{"c":2}}}', 'a.b.c', '2'],
    ['{"a.b":"no object","a":{"b":{"c":2}}}', 'a.b.c', '2'],
    // Arrays.
    ['{"a":[1,2,3]}', 'a[0]', '1'],
    ['{"a":[1,2,3]}', 'a[-1]', '3'],
    ['{"a":[1,2,3]}', 'a[3]', undefined],
    ['{"m":[[1],[2,3]]}', 'm[1][0]', '2'],
    ['[{"id":7}]', '[0].id', '7'],
    ['{"data":[{},{"events":[1]}]}', 'data[1].events', '[1]'],
    ['{"a":{"0":1}}', 'a[0]', undefined],
    ['{"a":"text"}', 'a[0]', undefined],
    ['{"a[0]":"literal","a":["index"]}', 'a[0]', '"literal"'],
    // Quoted keys.
    ['{"a":{"x.y":1}}', 'a["x.y"]', '1'],
    ['{"a":{"x.y":{"z":1}}}', "a['x.y'].z", '1'],
    ['{"a b":{"c]":1}}', '["a b"]["c]"]', '1'],
    // First match.
    ['{"r":[{"type":"query"},{"type":"rows","data":5}]}', 'r[type=rows].data', '5'],
    ['{"r":[{"type":1},"x",{"type":2,"v":true}]}', 'r[type=2].v', 'true'],
    ['{"r":[{"k":"a]b","v":1}]}', 'r[k="a]b"].v', '1'],
    ['{"r":[{"type":"rows"}]}', 'r[type=none]', undefined],
    // Keys as they are.
    ['{"@timestamp":1,"#event":2,"count()":3,"IP Address":4}', '@timestamp', '1'],
    ['{"@timestamp":1,"#event":2,"count()":3,"IP Address":4}', 'count()', '3'],
    [
      '{"Matches":[{"Basic Information":{"IP Address":"203.0.113.7"}}]}',
      'Matches[0].Basic Information.IP Address',
      '"203.0.113.7"',
    ],
    ['{"values[host]":1}', 'values[host]', '1'],
    ['{"a":{"values[host]":1}}', 'a.values[host]', '1'],
    ['{"a":{"":1}}', 'a.', '1'],
    // Hostile keys are keys.
    ['{"a":{"__proto__":{"x":"deep"}}}', 'a.__proto__.x', '"deep"'],
    ['{"id":1}', '__proto__', undefined],
    ['{"id":1}', 'constructor.name', undefined],
    ['{"a":[1]}', 'a.length', undefined],
    ['"text"', 'length', undefined],
    ['null', 'a.b', undefined],
  ]
  it.each(places)('%s at %s is %s', (document, path, value) => {
    expect(read(document, path)).toBe(value)
  })

  it('refuses a path of more than a hundred steps', () => {
    expect(() => compilePath('a.'.repeat(100))).toThrow('at most 100')
  })

  it('visits a document at most once per step, whatever keys it holds', () => {
    // Every partition of the path exists as keys and none leads to the end.
    const keys = Array.from({ length: 18 }, (_, index) =>
      Array(index + 1)
        .fill('a')
        .join('.'),
    )
    let document = '1'
    for (let level = 0; level < 3; level++)
      document = `{${keys.map((key) => `"${key}":${document}`).join(',')}}`
    const spent = cpuTime()
    expect(read(document, `${Array(40).fill('a').join('.')}.b`)).toBeUndefined()
    expect(spent()).toBeLessThan(1_000)
  })
})

describe('tracePath', () => {
  it('gives the values on the way, from the document to the place', () => {
    const document = parseExact('{"data":{"statements":[{"rows":[1]}]}}')
    const trail = tracePath(document, compilePath('data.statements[0].rows'))
    expect(trail?.map(compactJson)).toEqual([
      '{"data":{"statements":[{"rows":[1]}]}}',
      '{"statements":[{"rows":[1]}]}',
      '[{"rows":[1]}]',
      '{"rows":[1]}',
      '[1]',
    ])
    expect(tracePath(document, compilePath('data'))).toHaveLength(2)
    expect(tracePath(document, compilePath('data.none'))).toBeUndefined()
  })
})
