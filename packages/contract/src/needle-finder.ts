/**
 * Finds many fixed texts in one pass (Aho and Corasick, "Efficient string matching", 1975): the cost grows with the
 * length of the text, not with the number of needles, and hostile texts cannot change that.
 */

/** Half-open range of a text. */
export interface Range {
  start: number
  end: number
}

/** Room for the code of a character beside the number of a state in one map key. */
const characterCodes = 65_536

export class NeedleFinder {
  /** (state, character) → next state; state 0 is the root. */
  readonly #edges = new Map<number, number>()
  /** Per state: where to go on when no edge fits. */
  readonly #fallback: number[] = [0]
  /** Per state: length of the longest needle that ends there, 0 for none. */
  readonly #longest: number[] = [0]

  constructor(needles: Iterable<string>) {
    const byDepth: { state: number; parent: number; code: number }[][] = []
    for (const needle of needles) this.#insert(needle, byDepth)
    for (const { state, parent, code } of byDepth.flat()) {
      const fallback = parent === 0 ? 0 : this.#next(this.#fallback[parent]!, code)
      this.#fallback[state] = fallback
      this.#longest[state] = Math.max(this.#longest[state]!, this.#longest[fallback]!)
    }
  }

  /** Where needles stand, in order; ranges that overlap are one. */
  find(text: string): Range[] {
    const ranges: Range[] = []
    let state = 0
    for (let index = 0; index < text.length; index += 1) {
      state = this.#next(state, text.charCodeAt(index))
      const length = this.#longest[state]!
      if (length > 0) cover(ranges, { start: index + 1 - length, end: index + 1 })
    }
    return ranges
  }

  #insert(needle: string, byDepth: { state: number; parent: number; code: number }[][]): void {
    let parent = 0
    for (let depth = 0; depth < needle.length; depth += 1) {
      const code = needle.charCodeAt(depth)
      const key = parent * characterCodes + code
      let state = this.#edges.get(key)
      if (state === undefined) {
        state = this.#fallback.length
        this.#edges.set(key, state)
        this.#fallback.push(0)
        this.#longest.push(0)
        const states = byDepth[depth] ?? []
        byDepth[depth] = states
        states.push({ state, parent, code })
      }
      parent = state
    }
    if (parent !== 0) this.#longest[parent] = needle.length
  }

  #next(from: number, code: number): number {
    for (let state = from; ; state = this.#fallback[state]!) {
      const next = this.#edges.get(state * characterCodes + code)
      if (next !== undefined) return next
      if (state === 0) return 0
    }
  }
}

/** Adds a range that ends behind all others. */
function cover(ranges: Range[], range: Range): void {
  let { start } = range
  for (let last = ranges.at(-1); last !== undefined && last.end > start; last = ranges.at(-1)) {
    start = Math.min(start, last.start)
    ranges.pop()
  }
  ranges.push({ start, end: range.end })
}
