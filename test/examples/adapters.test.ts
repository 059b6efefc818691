import { describe, expect, it } from 'vitest'
import secopsAlerts from '../../examples/adapters/secops-alerts.ts'
import toon from '../../examples/adapters/toon.ts'
import virustotalList from '../../examples/adapters/virustotal-list.ts'

describe('virustotalList', () => {
  const list = (shown: number, items: string[]) =>
    `🌍 Domain evil.example — subdomains\nShowing ${shown} of 57 items.\n\n${items.map((item) => `  • ${item}\n`).join('')}`

  it('makes a row of every bullet', () => {
    expect(virustotalList(list(2, ['a.example', 'b c']))).toEqual([{ item: 'a.example' }, { item: 'b c' }])
    expect(virustotalList(list(0, []))).toEqual([])
    expect(virustotalList('No subdomains found for evil.example')).toEqual([])
  })

  it('refuses a list that was cut off, and prose that is no list', () => {
    expect(() => virustotalList(list(3, ['a.example']))).toThrow('shows 3 items and has 1')
    expect(() => virustotalList('Error formatting results')).toThrow('Error formatting results')
    expect(() => virustotalList('  • a.example')).toThrow('Showing N of M')
  })
})

describe('secopsAlerts', () => {
  it('makes a row of every alert, from text and from text as a JSON string', () => {
    const text = 'Found 2 security alerts:\n\nAlert 1:\nRule: r: 1\nStatus: NEW\n\nAlert 2:\nRule:\n'
    const rows = [{ Rule: 'r: 1', Status: 'NEW' }, { Rule: '' }]
    expect(secopsAlerts(text)).toEqual(rows)
    expect(secopsAlerts(JSON.stringify(text))).toEqual(rows)
    expect(secopsAlerts('No security alerts found for the specified time range.')).toEqual([])
  })

  it('keeps the lines of a value together', () => {
    const text = 'Found 1 security alert:\n\nAlert 1:\nSummary: one\ntwo\nSummary: three'
    expect(secopsAlerts(text)).toEqual([{ Summary: 'one\ntwo\nSummary: three' }])
  })

  it('refuses a list that was cut off, and prose that is no list', () => {
    expect(() => secopsAlerts('Found 2 security alerts:\n\nAlert 1:\nRule: r')).toThrow(
      'found 2 alerts and lists 1',
    )
    expect(() => secopsAlerts('Error: 403')).toThrow('Error: 403')
    expect(() => secopsAlerts('Found 1 alerts:\nAlert 1:\n\nstray')).toThrow('stray')
  })
})

describe('toon', () => {
  it.each<[string, object[]]>([
    ['t[1]{a,b}:\n  1,x', [{ a: 1, b: 'x' }]],
    ['t[2]{a}:\n  "x\\"y\\n"\n  null\nnext: 1', [{ a: 'x"y\n' }, { a: null }]],
    ['t[1|]{a|b}:\n  x, y | true', [{ a: 'x, y', b: true }]],
    ['data:\n  t[1]{a}:\n    1.50\n  n: 2', [{ a: '1.50' }]],
    ['t[1]{a,b}:\n  18446744073709551615,NaN', [{ a: '18446744073709551615', b: 'NaN' }]],
    ['[1]{"a b"}:\n  ""', [{ 'a b': '' }]],
    ['t[0]:', []],
  ])('reads the first table: %j', (text, rows) => {
    expect(toon(text)).toEqual(rows)
  })

  it.each([
    ['t[2]{a}:\n  1', 'says 2 rows and 1 came'],
    ['t[1]{a,b}:\n  1', '1 values for 2 fields'],
    ['t[1]{a}:\n  "x', 'quote that is not closed'],
    ['t[1]{a}:\n  "x"y', 'behind a closing quote'],
    ['a: 1', 'no header'],
  ])('refuses what is cut off or no table: %j', (text, words) => {
    expect(() => toon(text)).toThrow(words)
  })

  it('takes a key __proto__ as a key', () => {
    const [row] = toon('t[1]{__proto__,a}:\n  1,2')
    expect(Object.keys(row ?? {})).toEqual(['__proto__', 'a'])
  })
})
