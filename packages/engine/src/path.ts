import { RunError } from '@huntfleet/contract'
import { exactText } from './json/compact.ts'
import { type Exact, isExactArray, isExactObject } from './json/exact.ts'

/** No answer is addressed deeper; it bounds the work per row. */
const maxSteps = 100

/** One step of a path and the literal keys that may take its place. */
type Step = {
  /** Literal keys that start here, longest first, each with the number of the step behind it. */
  readonly literals: readonly { readonly key: string; readonly next: number }[]
} & (
  | { readonly kind: 'key' }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'match'; readonly field: string; readonly value: string }
)

/** A compiled path, see `compilePath`. */
export interface Path {
  readonly text: string
  /** null: the text is one key and nothing else. */
  readonly steps: readonly Step[] | null
}

/**
 * Compiles a path into an answer or a source row (SPEC section 6): keys joined by dots; `[0]` and `[-1]` index an
 * array; `["key with.dots"]` is one key; `[type=x]` is the first element of an array whose field `type` reads `x`.
 * Keys are taken as they are, with blanks, `@`, `#` or brackets. Throws BINDING_INVALID beyond 100 steps.
 */
export function compilePath(text: string): Path {
  if (!/[.[]/.test(text)) return { text, steps: null }
  const tokens = tokenize(text)
  if (tokens.length > maxSteps) {
    throw new RunError('BINDING_INVALID', `a path of ${tokens.length} steps; at most ${maxSteps} are allowed`)
  }
  const steps = tokens.map((token, position): Step => {
    const literals = tokens
      .slice(position)
      .map((last, distance) => ({ key: text.slice(token.start, last.end), next: position + distance + 1 }))
      .reverse()
    if (token.kind !== 'key') return { ...token, literals }
    // The quoted spelling of a key is what it says, not what it looks like.
    return { kind: 'key', literals: [...literals.slice(0, -1), { key: token.key, next: position + 1 }] }
  })
  return { text, steps }
}

type Token = { start: number; end: number } & (
  | { kind: 'key'; key: string }
  | { kind: 'index'; index: number }
  | { kind: 'match'; field: string; value: string }
)

const bracket = /\[(?:(-?\d{1,15})|"([^"]*)"|'([^']*)'|([^\][=]+)=(?:"([^"]*)"|'([^']*)'|([^\]]*)))\]/y

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const token = bracketAt(text, at) ?? keyAt(text, at)
    tokens.push(token)
    at = token.end
    if (text[at] !== '.') continue
    at++
    if (at === text.length) tokens.push({ kind: 'key', key: '', start: at, end: at })
  }
  return tokens
}

function bracketAt(text: string, start: number): Token | undefined {
  bracket.lastIndex = start
  const found = bracket.exec(text)
  if (found === null) return undefined
  const [whole, index, double, single, field, ...values] = found
  const place = { start, end: start + whole.length }
  if (index !== undefined) return { kind: 'index', index: Number(index), ...place }
  const key = double ?? single
  if (key !== undefined) return { kind: 'key', key, ...place }
  const value = values.find((text) => text !== undefined) ?? ''
  return { kind: 'match', field: (field ?? '').trim(), value, ...place }
}

/** A key up to the next dot or bracket expression; a bracket that is none belongs to the key (`values[host]`). */
function keyAt(text: string, start: number): Token {
  let end = start
  while (end < text.length && text[end] !== '.') {
    if (text[end] === '[' && end > start && bracketAt(text, end) !== undefined) break
    end++
  }
  return { kind: 'key', key: text.slice(start, end), start, end }
}

/**
 * The value at a path: at each level the whole remaining text as a literal key first, then ever shorter prefixes of
 * it, then the step alone. `undefined`: there is no such place; a null that stands there is null.
 */
export function readPath(value: Exact, path: Path): Exact | undefined {
  if (path.steps === null) return isExactObject(value) ? value.get(path.text) : undefined
  return walk(value, path.steps, 0, undefined)
}

/** All values from `value` down to the one at the path, both included; `undefined`: there is no such place. */
export function tracePath(value: Exact, path: Path): Exact[] | undefined {
  const trail: Exact[] = []
  const steps = path.steps ?? [{ kind: 'key', literals: [{ key: path.text, next: 1 }] }]
  if (walk(value, steps, 0, trail) === undefined) return undefined
  return trail.reverse()
}

/** The keys of an object under which its value at this path may lie, the whole path as one key first. */
export function firstKeys({ text, steps }: Path): string[] {
  return steps === null ? [text] : (steps[0]?.literals.map(({ key }) => key) ?? [])
}

/** How many levels below the document the value at this path can lie. */
export function pathDepth(path: Path): number {
  return path.steps?.length ?? 1
}

/** `trail` receives the values on the way back, innermost first. */
function walk(
  value: Exact,
  steps: readonly Step[],
  position: number,
  trail: Exact[] | undefined,
): Exact | undefined {
  const step = steps[position]
  const found = step === undefined ? value : walkStep(value, steps, step, position, trail)
  if (found !== undefined) trail?.push(value)
  return found
}

function walkStep(
  value: Exact,
  steps: readonly Step[],
  step: Step,
  position: number,
  trail: Exact[] | undefined,
): Exact | undefined {
  if (isExactObject(value)) {
    for (const { key, next } of step.literals) {
      const member = value.get(key)
      if (member === undefined) continue
      const found = walk(member, steps, next, trail)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (!isExactArray(value) || step.kind === 'key') return undefined
  const element = step.kind === 'index' ? value.at(step.index) : value.find((item) => matches(item, step))
  return element === undefined ? undefined : walk(element, steps, position + 1, trail)
}

function matches(item: Exact, step: { field: string; value: string }): boolean {
  if (!isExactObject(item)) return false
  const field = item.get(step.field)
  return (
    field !== undefined && !isExactArray(field) && !isExactObject(field) && exactText(field) === step.value
  )
}
