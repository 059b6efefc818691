/** Random numbers that come again with the same seed. */
export interface SeededRandom {
  /** A whole number below `limit`. */
  below(limit: number): number
  pick<T>(values: readonly T[]): T
  chance(probability: number): boolean
}

/** Mulberry32: 32 bits of state are enough to choose mutations, and a seed is short enough to be copied by hand. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    pick(values) {
      const value = values[below(values.length)]
      if (value === undefined) throw new Error('nothing to pick from')
      return value
    },
    chance: (probability) => next() < probability,
  }
}
