import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { isExactArray, isExactObject } from '../../src/json/exact.ts'
import { JsonReader } from '../../src/json/json-reader.ts'
import { arrayScanner, scannedRowsOf } from '../../src/json/scanned-array.ts'
import { rowTexts } from './row-texts.ts'

/** The array that begins at a position as the exact parser reads it; undefined for anything but objects in an array. */
function parsed(text: string, position = 0) {
  const result = new JsonReader(text).read(position)
  if (!result.ok || !isExactArray(result.value) || !result.value.every(isExactObject)) return undefined
  return { value: result.value, end: result.end }
}

describe('an array that is scanned', () => {
  test('has the rows and the end that the exact parser finds', () => {
    let scannedArrays = 0
    fc.assert(
      fc.property(rowTexts, fc.constantFrom('', 'prose € ', '{"items": '), (rows, before) => {
        const text = `${before}[${rows.join(', ')}] and more`.toWellFormed()
        const scanned = arrayScanner(text)(before.length)
        const exact = parsed(text, before.length)
        expect(scanned?.end).toBe(exact?.end)
        if (scanned === undefined) return
        scannedArrays++
        expect(scanned.value.length).toBe(exact?.value.length)
        expect(scanned.value.at(-1)).toEqual(exact?.value.at(-1))
        expect(Array.from(scanned.value)).toEqual(exact?.value)
      }),
      { numRuns: 3_000 },
    )
    expect(scannedArrays).toBeGreaterThan(2_000)
  })

  test('has each value under its key, and none that the row has not', () => {
    fc.assert(
      fc.property(rowTexts, (rows) => {
        const text = `[${rows.join(',')}]`.toWellFormed()
        const scanned = scannedRowsOf(arrayScanner(text)(0)?.value ?? [])
        const exact = parsed(text)?.value ?? []
        if (scanned === undefined) return
        const seen = Array.from({ length: scanned.length }, (_, index) => {
          const members = [...scanned.fields].map(
            ([key, field]) => [key, scanned.value(field, index)] as const,
          )
          return new Map(members.filter(([, value]) => value !== undefined))
        })
        expect(seen).toEqual(exact)
      }),
      { numRuns: 2_000 },
    )
  })

  test('is taken exactly when the exact parser takes it, whatever is broken in it', () => {
    const damage = fc.record({
      at: fc.nat(),
      cut: fc.nat(2),
      put: fc.constantFrom('', '"', '\\', ',', '}', ']', '0', '\n', 'x', '-'),
    })
    fc.assert(
      fc.property(rowTexts, damage, (rows, { at, cut, put }) => {
        const whole = `[${rows.join(',')}]`
        const place = at % whole.length
        const text = (whole.slice(0, place) + put + whole.slice(place + cut)).toWellFormed()
        if (!text.startsWith('[')) return
        const scanned = arrayScanner(text)(0)
        const exact = parsed(text)
        expect(scanned?.end).toBe(exact?.end)
        if (scanned !== undefined) expect(Array.from(scanned.value)).toEqual(exact?.value)
      }),
      { numRuns: 3_000 },
    )
  })

  test.each([
    '[1]',
    '[{},1]',
    '[null]',
    '[[1]]',
    '[{"a":1}',
    '[',
    '[{"a":NaN}]',
    '[{"a":01}]',
    '[{"a":"\\q"}]',
    '[{"a":1,}]',
  ])('is not there for %s', (text) => {
    expect(arrayScanner(text)(0)).toBeUndefined()
  })

  test('is an array like any other', () => {
    const rows = arrayScanner('[{"a":1},{"a":"x"}]')(0)?.value ?? []
    expect(Array.isArray(rows)).toBe(true)
    expect(rows).toEqual([new Map([['a', 1]]), new Map([['a', 'x']])])
    expect(rows.map((row) => isExactObject(row) && row.get('a'))).toEqual([1, 'x'])
    expect([...rows.entries()].map(([index]) => index)).toEqual([0, 1])
    expect(rows[2]).toBeUndefined()
    expect(rows.some(isExactArray)).toBe(false)
    expect(Object.keys(rows)).toEqual(['0', '1'])
  })

  test('leaves what is too deep or has ever new keys to the exact parser', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    expect(arrayScanner(`[{"v":${deep}}]`)(0)).toBeUndefined()
    const keys = Array.from({ length: 5_000 }, (_, index) => `{"key ${index}":1}`)
    expect(arrayScanner(`[${keys.join(',')}]`)(0)).toBeUndefined()
  })

  test('is left to the exact parser where WebAssembly cannot be had', async () => {
    vi.resetModules()
    vi.stubGlobal('WebAssembly', undefined)
    const { arrayScanner: without } = await import('../../src/json/scanned-array.ts')
    expect(without('[{"a":1}]')(0)).toBeUndefined()
    vi.unstubAllGlobals()
  })

  test('refuses to be read once its memory is given back', () => {
    const scanned = arrayScanner('[{"a":[1]},{"a":"\\n"}]')(0)
    const rows = scannedRowsOf(scanned?.value ?? [])
    const field = rows?.fields.get('a')
    rows?.release()
    expect(() => scanned?.value[0]).toThrow('after the page had been staged')
    expect(() => field && rows?.value(field, 1)).toThrow('after the page had been staged')
  })
})
