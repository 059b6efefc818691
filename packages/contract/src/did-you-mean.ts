/** Suggestions for mistyped names. */

/** Longer words are no typos of a name, and comparing them would cost the square of their length. */
const longestWord = 64

/** More names than these are no help in a message. */
const mostListed = 30

/** The known name that `word` most probably stands for; `undefined` when none is near. Case does not count. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined
  const wanted = word.toLowerCase()
  // One slip in a short word, one more for every three letters: beyond that the words are merely both short.
  let limit = Math.min(3, Math.max(1, Math.floor(word.length / 3)))
  let best: string | undefined
  for (const name of known) {
    if (Math.abs(name.length - word.length) > limit) continue
    const distance = editDistance(wanted, name.toLowerCase())
    if (distance > limit || (best !== undefined && distance === limit)) continue
    best = name
    limit = distance
  }
  return best
}

/** `unknown parameter "lookbak"; did you mean "lookback"? Known: …`, for any kind of name. */
export function unknownName(kind: string, word: string, known: readonly string[]): string {
  const near = didYouMean(word, known)
  const question = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`
  const listed = known.slice(0, mostListed).join(', ') + (known.length > mostListed ? ', …' : '')
  const list = known.length === 0 ? 'there are none' : `known: ${listed}`
  return `unknown ${kind} ${quoteShort(word)}${question} (${list})`
}

/** A text as a JSON string, cut when it is too long to read. */
function quoteShort(text: string): string {
  return JSON.stringify(text.length > longestWord ? `${text.slice(0, longestWord)}…` : text)
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = last[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1)
      let cost = Math.min(replaced, last[column]! + 1, current[column - 1]! + 1)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) cost = Math.min(cost, beforeLast[column - 2]! + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
