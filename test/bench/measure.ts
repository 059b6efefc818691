/** One way of doing the work that is measured. */
export interface Contestant {
  name: string
  /** Does the work once; the result is the size of what it made in bytes, if it made something. */
  run: () => Promise<number | null>
  /** How many times less than the others' work it does, because it is slow; its times are multiplied by it. */
  scale?: number
}

export interface Measurement {
  /** Median of the process's CPU time, user and system, over all its threads. */
  cpuMs: number
  bytes: number | null
}

/**
 * Measures contestants in turns, so that what else the machine does meets all of them alike: one round to warm up, then
 * `rounds` that count.
 */
export async function measureInTurns(
  contestants: readonly Contestant[],
  rounds: number,
): Promise<Map<string, Measurement>> {
  const times = new Map<string, number[]>(contestants.map(({ name }) => [name, []]))
  const sizes = new Map<string, number | null>()
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run, scale = 1 } of contestants) {
      const before = process.cpuUsage()
      const bytes = await run()
      const { user, system } = process.cpuUsage(before)
      sizes.set(name, bytes === null ? null : bytes * scale)
      if (round > 0) times.get(name)?.push(((user + system) / 1000) * scale)
    }
  }
  return new Map(
    contestants.map(({ name }) => [
      name,
      { cpuMs: median(times.get(name) ?? []), bytes: sizes.get(name) ?? null },
    ]),
  )
}

/** The middle one of the values; of an even number the higher of the two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
