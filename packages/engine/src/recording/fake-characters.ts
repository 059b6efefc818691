import { createHash } from 'node:crypto'

/** Rounds of the Feistel network; four are the least that hide structure (Luby and Rackoff). */
const rounds = 6

/** Fakes of the same shape, one-to-one: different values stay different, and equal values equal, under one key. */
export interface FakeCharacters {
  /** A permutation of all digit strings of this length; `digits` are below `radix`. */
  permute(digits: readonly number[], radix: number, tweak: string): number[]
  /** A permutation of the numbers below `size`. */
  shift(value: number, size: number, tweak: string): number
}

/**
 * Format-preserving encryption in the manner of FF1 (NIST SP 800-38G): a Feistel network over digits, with SHAKE-256
 * of key, tweak and the other half as its round function. Who knows neither key nor values cannot turn it back.
 */
export function fakeCharacters(key: Uint8Array): FakeCharacters {
  const stream = (label: string, input: readonly number[], length: number) =>
    createHash('shake256', { outputLength: 2 * length })
      .update(key)
      .update(`${label}\0`)
      .update(Uint8Array.from(input))
      .digest()
  const add = (half: number[], other: readonly number[], radix: number, label: string) => {
    const noise = stream(label, other, half.length)
    return half.map((digit, i) => (digit + noise.readUInt16BE(2 * i)) % radix)
  }
  return {
    permute(digits, radix, tweak) {
      const middle = Math.ceil(digits.length / 2)
      let left = digits.slice(0, middle)
      let right = digits.slice(middle)
      for (let round = 0; round < rounds; round += 1) {
        const label = `${tweak}/${radix}/${digits.length}/${round}`
        if (round % 2 === 0) left = add(left, right, radix, label)
        else right = add(right, left, radix, label)
      }
      return [...left, ...right]
    },
    shift: (value, size, tweak) => (value + stream(tweak, [], 1).readUInt16BE(0)) % size,
  }
}
