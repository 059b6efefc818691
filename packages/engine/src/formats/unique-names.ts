/**
 * Column names as a header gives them: trimmed, an empty one is `column_<position>`, and one that came before gets
 * its ordinal, `host`, `host_2`, `host_3`. A name that the header itself spells `host_2` stays its own.
 */
export function uniqueNames(cells: readonly string[]): string[] {
  const names = cells.map((cell, index) => cell.trim() || `column_${index + 1}`)
  const spelled = new Set(names)
  const given = new Set<string>()
  const ordinals = new Map<string, number>()
  return names.map((name) => {
    let unique = name
    if (given.has(name)) {
      let ordinal = ordinals.get(name) ?? 1
      do unique = `${name}_${++ordinal}`
      while (spelled.has(unique) || given.has(unique))
      ordinals.set(name, ordinal)
    }
    given.add(unique)
    return unique
  })
}
