import fc from 'fast-check'
import { snappyUncompress } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import { snappyCompress } from '../../src/parquet/snappy.ts'

function roundTrip(input: Uint8Array): Uint8Array {
  const output = new Uint8Array(input.length)
  const compressed = snappyCompress(input)
  // The length stands before the data; the reader wants its own buffer to be of that length.
  snappyUncompress(compressed, output)
  return output
}

/** Bytes that neither repeat nor have an order. */
function noise(length: number): Uint8Array {
  let state = 7
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state >>> 24
  })
}

describe('snappy', () => {
  test.each([1, 2, 14, 15, 16, 59, 60, 61, 255, 256, 257, 65_535, 65_536, 65_537, 200_000])(
    'gives %i bytes back, of noise, of one value and of a pattern',
    (length) => {
      for (const input of [
        noise(length),
        new Uint8Array(length).fill(65),
        Uint8Array.from({ length }, (_, index) => index % 7),
        Uint8Array.from({ length }, (_, index) => (index % 3_000 < 1_500 ? index % 251 : 9)),
      ]) {
        expect(Buffer.compare(roundTrip(input), input)).toBe(0)
      }
    },
  )

  test('gives any bytes back', () => {
    const piece = fc.uint8Array({ maxLength: 40 })
    const repeated = fc.array(fc.tuple(piece, fc.nat(30)), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(repeated, (pieces) => {
        const input = Buffer.concat(
          pieces.flatMap(([bytes, times]) => Array.from({ length: times + 1 }, () => bytes)),
        )
        if (input.length > 0) expect(Buffer.compare(roundTrip(input), input)).toBe(0)
      }),
    )
  })

  test('makes what repeats small, and noise hardly larger', () => {
    expect(snappyCompress(new Uint8Array(100_000)).length).toBeLessThan(6_000)
    expect(snappyCompress(noise(100_000)).length).toBeLessThan(100_100)
  })

  test('refuses more than half a gigabyte, and says what takes it', () => {
    const refused = expect.objectContaining({
      code: 'INTERNAL',
      context: { hint: expect.stringContaining('zstd') },
    })
    expect(() => snappyCompress(new Uint8Array(2 ** 29 + 1))).toThrow(refused)
  })

  test('of nothing is the length alone', () => {
    expect(snappyCompress(new Uint8Array())).toEqual(Uint8Array.of(0))
  })
})
