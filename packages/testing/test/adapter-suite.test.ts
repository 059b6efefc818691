import { describe, expect, test } from 'vitest'
import {
  type Adapter,
  type AdapterField,
  type AdapterSuiteOptions,
  adapterSuite,
} from '../src/adapter-suite.ts'

const good = (text: string, fields: readonly AdapterField[]): object[] => {
  if (text.trim() === '') return []
  const lines = text.trimEnd().split('\n')
  if (lines.some((line) => !line.includes('='))) throw new Error('a line without "="')
  return lines.map((line) => ({
    [fields[0]?.source ?? 'name']: line.slice(0, line.indexOf('=')),
    value: line.slice(line.indexOf('=') + 1),
  }))
}
const options: AdapterSuiteOptions = {
  samples: [
    {
      name: 'two lines',
      text: 'a=1\nb=2\n',
      rows: [
        { name: 'a', value: '1' },
        { name: 'b', value: '2' },
      ],
    },
  ],
  grow: (rows) => Array.from({ length: rows }, (_, i) => `k${i}=${i}`).join('\n'),
}

/** The names of the checks that an adapter fails. */
async function failures(adapter: Adapter, given = options): Promise<string[]> {
  const failed: string[] = []
  for (const { name, check } of adapterSuite(adapter, given)) await check().catch(() => failed.push(name))
  return failed
}

describe('adapterSuite', () => {
  for (const { name, check } of adapterSuite(good, options)) test(name, check)

  let calls = 0
  const bad: [string, Adapter, string][] = [
    [
      'counts its calls',
      (text, f) => [...(good(text, f) as object[]), { calls: ++calls }],
      'two lines: reads the same rows again, and changes none of its input',
    ],
    ['invents a row', () => [{ a: 1 }], 'reads zero rows from a blank text, or says that it is blank'],
    [
      'throws a text',
      () => {
        throw 'no'
      },
      'answers a malformed text with rows or an Error that has a message',
    ],
    [
      'returns functions',
      (text) => (text === '' ? [] : [{ f: () => 1 }]),
      'two lines: reads rows of JSON values',
    ],
    ['returns lists', (text) => (text === '' ? [] : [[text]]), 'two lines: reads rows of JSON values'],
    [
      'changes the fields',
      (text, fields) => {
        Object.assign(fields, { length: 0 })
        return good(text, fields)
      },
      'two lines: reads the same rows again, and changes none of its input',
    ],
    [
      'has more rows when cut off',
      (text, f) => (text.endsWith('2\n') ? good(text, f) : [{}, {}, {}]),
      'two lines: survives being cut off anywhere',
    ],
    [
      'loses rows of a long text',
      (text, f) => [...good(text, f)].slice(0, 5_000),
      'reads 10000 rows, all of them, in time',
    ],
    [
      'is exponential',
      (text, f) => {
        if (/^(a+)+$/.test(text.length > 30 ? `${text.slice(0, 30)}!` : `${text}!`)) return []
        return good(text, f)
      },
      'ends in time on a long run of "a"',
    ],
  ]
  test.each(bad)(
    'finds an adapter that %s',
    async (_, adapter, name) => {
      expect(await failures(adapter)).toContain(name)
    },
    120_000,
  )
})
