import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DefinitionLevels, packedRun, repeatedRun } from '../../src/parquet/levels.ts'

function bitsAt(bytes: Uint8Array, place: number, width: number): number {
  let value = 0
  for (let bit = 0; bit < width; bit++)
    value |= (((bytes[(place + bit) >> 3] ?? 0) >> ((place + bit) & 7)) & 1) << bit
  return value
}

/** Reads the RLE hybrid encoding as the Parquet format describes it. */
function decode(bytes: Uint8Array, width: number, count: number): number[] {
  const values: number[] = []
  let at = 0
  while (values.length < count) {
    let header = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      header |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    if (header % 2 === 0) {
      const size = Math.ceil(width / 8)
      const value = bytes.subarray(at, at + size).reduceRight((sum, byte) => sum * 256 + byte, 0)
      at += size
      for (let index = 0; index < header >> 1; index++) values.push(value)
    } else {
      for (let index = 0; index < (header >> 1) * 8; index++)
        values.push(bitsAt(bytes, at * 8 + index * width, width))
      at += (header >> 1) * width
    }
  }
  return values.slice(0, count)
}

test('a packed run holds values of any width up to 24 bits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 24 }), fc.array(fc.nat(2 ** 24 - 1)), (width, numbers) => {
      const values = numbers.map((number) => number % 2 ** width)
      expect(decode(packedRun(Uint32Array.from(values), width), width, values.length)).toEqual(values)
    }),
  )
})

test('a repeated run holds one value', () => {
  expect(decode(repeatedRun(5, 1_000), 3, 1_000)).toEqual(Array.from({ length: 1_000 }, () => 5))
})

test('definition levels say which rows have a value, page after page, however they were appended', () => {
  const levels = new DefinitionLevels()
  const page = fc.array(fc.array(fc.option(fc.constant(1)), { maxLength: 300 }), {
    minLength: 1,
    maxLength: 5,
  })
  fc.assert(
    fc.property(page, (batches) => {
      for (const batch of batches)
        levels.append(Uint8Array.from([0, ...batch.map((cell) => cell ?? 0), 1]), 1, 1 + batch.length)
      const expected = batches.flat().map((cell) => (cell === null ? 0 : 1))
      expect(levels.rows).toBe(expected.length)
      expect(levels.nulls).toBe(expected.filter((level) => level === 0).length)
      const taken = levels.take()
      expect(new DataView(taken.buffer).getUint32(0, true)).toBe(taken.length - 4)
      expect(decode(taken.subarray(4), 1, expected.length)).toEqual(expected)
    }),
  )
})
