import { join, resolve } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkKey, checkKeyPrefix, isKey } from '../src/object-key.ts'

describe('an object key', () => {
  it.each([
    'a',
    'a/b.parquet',
    '_runs/strategy=s/run=r/manifest.json',
    '...',
    'a/..b',
    'ünï',
    'x'.repeat(255),
  ])('may be %s', (key) => {
    expect(() => checkKey(key)).not.toThrow()
    expect(isKey(key)).toBe(true)
  })

  it('may have 1024 bytes and not one more', () => {
    const longest = `${'a/'.repeat(511)}ab`
    expect(isKey(longest)).toBe(true)
    expect(isKey(`${longest}c`)).toBe(false)
    expect(isKey('é'.repeat(128))).toBe(false)
  })

  it('never leaves the folder it is joined to', async () => {
    const piece = fc.constantFrom('.', '..', '/', 'a', '\\', '\0', ' ', '%2e')
    const key = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
    const inside = (text: string): boolean =>
      join('/root', text) === `/root/${text}` && resolve('/root', text) === `/root/${text}`
    await fc.assert(fc.property(key, (text) => !isKey(text) || inside(text)))
  })

  it('is named with its fault and the rule', () => {
    expect(() => checkKey('a/../b\u0007')).toThrow(
      expect.objectContaining({
        code: 'SINK_INVALID',
        message: '"a/../b\\u{7}" cannot be an object key: it has a segment `..`',
        context: { hint: expect.stringContaining('1024 bytes') },
      }),
    )
  })
})

describe('a key prefix', () => {
  it.each(['', 'a', 'a/', 'a/b', 'a/.', 'a/b/run=1'])('may be %j', (prefix) => {
    expect(() => checkKeyPrefix(prefix)).not.toThrow()
  })

  it.each(['/', '../', 'a/../', 'a//b', './a', '.tmp/', 'a\\', '\0'])('may not be %j', (prefix) => {
    expect(() => checkKeyPrefix(prefix)).toThrow(expect.objectContaining({ code: 'SINK_INVALID' }))
  })
})
