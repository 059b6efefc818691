/** Passes the latest value on at once, and then at most one every `ms`; what came last is never held back for longer. */
export interface LatestOnly<T> {
  say(value: T): void
  /** Passes nothing on any more. */
  stop(): void
}

export function latestOnly<T>(ms: number, pass: (value: T) => void): LatestOnly<T> {
  let timer: NodeJS.Timeout | undefined
  let held: { value: T } | null = null
  const flush = (): void => {
    timer = undefined
    if (held === null) return
    pass(held.value)
    held = null
    timer = setTimeout(flush, ms)
  }
  return {
    say(value) {
      held = { value }
      if (timer === undefined) flush()
    },
    stop: () => clearTimeout(timer),
  }
}
