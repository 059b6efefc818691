import { describe, expect, it } from 'vitest'
import { rowsFingerprint, textsFingerprint } from '../src/rows-fingerprint.ts'

const reject = (raw: string, stored = false) => ({ row: 1, reason: 'odd', raw, stored })

describe('rowsFingerprint', () => {
  it('tells pages apart by rows, their order and rejects that are not stored', () => {
    const a = new Map([['id', 1]])
    const b = new Map([['id', 2]])
    const prints = [
      rowsFingerprint([a, b], []),
      rowsFingerprint([b, a], []),
      rowsFingerprint([a], []),
      rowsFingerprint([a, b], [reject('x')]),
      rowsFingerprint([a, b], [reject('y')]),
    ]
    expect(new Set(prints).size).toBe(prints.length)
    expect(rowsFingerprint([new Map([['id', 1]]), b], [reject('z', true)])).toBe(prints[0])
  })
})

describe('textsFingerprint', () => {
  it('tells apart what only joins to the same text', () => {
    expect(textsFingerprint(['ab'])).not.toBe(textsFingerprint(['a', 'b']))
    expect(textsFingerprint(['a', 'b'])).toBe(textsFingerprint(['a', 'b']))
  })
})
