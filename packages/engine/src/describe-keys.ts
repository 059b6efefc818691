import { type Exact, isExactArray, isExactObject } from './json/exact.ts'
import { visibleText } from './visible-text.ts'

const mostKeys = 30
const longestKey = 60
/** How deep arrays are looked for, and how many keys at most. */
const deepest = 3
const mostVisited = 2_000

/** The keys of an object as an error message lists them, with what they hold where that helps. */
export function describeKeys(value: Exact): string {
  if (!isExactObject(value)) return `it is ${kindOfExact(value)}`
  if (value.size === 0) return 'it has no keys'
  const keys = [...value].slice(0, mostKeys).map(([key, member]) => {
    const kind = isExactArray(member) ? ' (array)' : isExactObject(member) ? ' (object)' : ''
    return visibleText(key, longestKey) + kind
  })
  const more = value.size > mostKeys ? ` and ${value.size - mostKeys} more` : ''
  return `its keys: ${keys.join(', ')}${more}`
}

/** Paths, at most three levels down, at which a value holds arrays: what `items_path` may be set to. */
export function arrayPaths(value: Exact): string[] {
  const paths: string[] = []
  let level = [{ path: '', value }]
  for (let depth = 0; depth < deepest; depth++) {
    const members = level.flatMap((parent) => membersOf(parent.path, parent.value)).slice(0, mostVisited)
    paths.push(...members.filter((member) => isExactArray(member.value)).map((member) => member.path))
    level = members.filter((member) => isExactObject(member.value))
  }
  return paths.slice(0, mostKeys)
}

function membersOf(path: string, value: Exact): { path: string; value: Exact }[] {
  if (!isExactObject(value)) return []
  return [...value].slice(0, mostVisited).map(([key, member]) => {
    return { path: path === '' ? step(key) : `${path}.${step(key)}`, value: member }
  })
}

function step(key: string): string {
  const name = visibleText(key, longestKey)
  return /[.[\]]/.test(name) ? `["${name}"]` : name
}

/** `an object`, `an array`, `a string` …: what a value is, for messages. */
export function kindOfExact(value: Exact): string {
  if (value === null) return 'null'
  if (isExactArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (isExactObject(value)) return 'an object'
  if (typeof value === 'string') return 'a string'
  return typeof value === 'boolean' ? String(value) : 'a number'
}
