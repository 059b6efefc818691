import { type Exact, type ExactNumber, isExactArray, isExactObject } from './exact.ts'

type ExactScalar = null | boolean | string | number | ExactNumber

/** What takes the place of each scalar and each key. */
export interface ExactVisitor {
  leaf(value: ExactScalar): Exact
  /** Two keys that become one get a number, so that no member is lost. */
  key?(name: string): string
}

interface Unfilled {
  source: Exact
  target: Map<string, Exact> | Exact[]
}

/** A copy of a value with its scalars and keys replaced, in the same order. A loop: nesting costs no call depth. */
export function mapExact(root: Exact, { leaf, key = (name) => name }: ExactVisitor): Exact {
  const unfilled: Unfilled[] = []
  const copy = (value: Exact): Exact => {
    if (!isExactArray(value) && !isExactObject(value)) return leaf(value)
    const target = isExactArray(value) ? [] : new Map<string, Exact>()
    unfilled.push({ source: value, target })
    return target
  }
  const result = copy(root)
  for (let next = unfilled.pop(); next !== undefined; next = unfilled.pop()) {
    const { source, target } = next
    if (isExactArray(source) && Array.isArray(target)) for (const member of source) target.push(copy(member))
    if (!isExactObject(source) || !(target instanceof Map)) continue
    for (const [name, member] of source) {
      target.set(freeKey(target, key(name)), copy(member))
    }
  }
  return result
}

function freeKey(target: ReadonlyMap<string, Exact>, wanted: string): string {
  let key = wanted
  for (let count = 2; target.has(key); count += 1) key = `${wanted}_${count}`
  return key
}
