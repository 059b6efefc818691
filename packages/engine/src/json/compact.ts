import { type Exact, ExactNumber, isExactArray, isExactObject } from './exact.ts'

interface Level {
  /** Members that are still to be written; a key is undefined in an array. */
  members: Iterator<[string | number, Exact]>
  keyed: boolean
  first: boolean
}

/**
 * The value as JSON text: keys in the order and numbers in the spelling of the source, no blanks, characters escaped
 * only where JSON demands it (SPEC section 15). A loop over an explicit stack: nesting costs no call depth.
 */
export function compactJson(value: Exact): string {
  if (!isExactArray(value) && !isExactObject(value)) return scalarJson(value)
  let text = value instanceof Map ? '{' : '['
  const levels: Level[] = [levelOf(value)]
  for (let level = levels[0]; level !== undefined; level = levels[levels.length - 1]) {
    const step = level.members.next()
    if (step.done === true) {
      text += level.keyed ? '}' : ']'
      levels.pop()
      continue
    }
    const [key, member] = step.value
    if (!level.first) text += ','
    level.first = false
    if (level.keyed) text += `${quoted(String(key))}:`
    if (isExactArray(member) || isExactObject(member)) {
      text += isExactObject(member) ? '{' : '['
      levels.push(levelOf(member))
    } else {
      text += scalarJson(member)
    }
  }
  return text
}

function levelOf(container: Exclude<Exact, null | boolean | string | number | ExactNumber>): Level {
  return { members: container.entries(), keyed: isExactObject(container), first: true }
}

function scalarJson(value: null | boolean | string | number | ExactNumber): string {
  if (typeof value === 'string') return quoted(value)
  return value instanceof ExactNumber ? value.text : String(value)
}

const needsEscape = /["\\\x00-\x1f\ud800-\udfff]/

/** Most strings need no escape, and finding that out is faster than `JSON.stringify`. */
function quoted(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`
}

/** A value as plain text: a string as it is, anything else as compact JSON. */
export function exactText(value: Exact): string {
  return typeof value === 'string' ? value : compactJson(value)
}
