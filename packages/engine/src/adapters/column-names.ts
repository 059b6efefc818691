import { RunError } from '@huntfleet/contract'
import { isWanted, wantedSources } from '../formats/wanted-columns.ts'
import type { FieldMapping } from '../source-row.ts'
import { excerpt } from '../visible-text.ts'

/** What the answer tells about the number of its columns. */
export interface ColumnCount {
  /** The number on the `Columns:` line; null when there is none. */
  declared: number | null
  /** The length of most of its rows; null when there are no rows. */
  ofRows: number | null
}

/** Longer name lists are not searched for a grouping: the work grows with the cube. */
const longestSearched = 128

/**
 * Splits a `Column Names:` list. Names stand between ", " and are not escaped, so `concat(a, b), n` may be two names
 * or three. The number of columns decides; where it leaves several readings, the one that has the most wanted columns.
 * Throws PARSE_FAILED when that is not exactly one. A list that fits no count is split at every ", " where the answer
 * declares no count: then its rows are the odd ones.
 */
export function splitColumnNames(
  list: string,
  count: ColumnCount,
  fields: readonly FieldMapping[],
): string[] {
  const spaced = list.split(', ')
  const tight = list.split(',')
  const expected = count.ofRows ?? count.declared
  if (expected === null || spaced.length === expected || spaced.length === count.declared) return spaced
  if (tight.length === expected) return tight
  const sources = wantedSources(fields)
  const grouped = spaced.length > expected ? groupNames(spaced, expected, sources) : null
  const single = spaced.filter((name) => isWanted(name, sources)).length
  if (grouped !== null && (count.declared === expected || grouped.wanted > single)) return grouped.names
  if (count.declared === null) return spaced
  throw new RunError(
    'PARSE_FAILED',
    `tabular_text: cannot tell the ${expected} column names apart in ${excerpt(list, 300)}, which splits into ${spaced.length}`,
    { hint: 'alias your columns in the query, so that no name holds a comma' },
  )
}

interface Grouping {
  names: string[]
  wanted: number
}

/** The best way to make some of the first pieces into names. */
interface Prefix {
  wanted: number
  /** Whether no other way has as many wanted names. */
  sole: boolean
  /** Where the last name starts. */
  start: number
}

/** The one way to join neighbouring pieces to `count` names that has the most wanted ones; null when there are several. */
function groupNames(pieces: readonly string[], count: number, sources: readonly string[]): Grouping | null {
  if (count < 1 || pieces.length > longestSearched) return null
  const wanted = wantedSpans(pieces, sources)
  // levels[n] holds, per number of pieces, the best way to make them into n names.
  const levels: Map<number, Prefix>[] = [new Map([[0, { wanted: 0, sole: true, start: 0 }]])]
  for (let level = 1; level <= count; level++) {
    levels.push(nextLevel(levels[level - 1] ?? new Map(), pieces.length, wanted))
  }
  const best = levels[count]?.get(pieces.length)
  if (best === undefined || !best.sole) return null
  const names: string[] = []
  let end = pieces.length
  for (let level = count; level > 0; level--) {
    const start = levels[level]?.get(end)?.start ?? 0
    names.unshift(pieces.slice(start, end).join(', '))
    end = start
  }
  return { names, wanted: best.wanted }
}

function nextLevel(
  level: Map<number, Prefix>,
  length: number,
  wanted: ReadonlySet<string>,
): Map<number, Prefix> {
  const next = new Map<number, Prefix>()
  for (const [start, before] of level) {
    for (let end = start + 1; end <= length; end++) {
      const score = before.wanted + (wanted.has(`${start}-${end}`) ? 1 : 0)
      const known = next.get(end)
      if (known === undefined || score > known.wanted)
        next.set(end, { wanted: score, sole: before.sole, start })
      else if (score === known.wanted) known.sole = false
    }
  }
  return next
}

/** The runs of pieces, `start-end`, that make a wanted name. */
function wantedSpans(pieces: readonly string[], sources: readonly string[]): ReadonlySet<string> {
  const spans = new Set<string>()
  for (const start of pieces.keys()) {
    for (let end = start + 1; end <= pieces.length; end++) {
      const name = pieces.slice(start, end).join(', ')
      if (!sources.some((source) => source.startsWith(name))) break
      if (isWanted(name, sources)) spans.add(`${start}-${end}`)
    }
  }
  return spans
}
