import type { Json, JsonObject } from './json-value.ts'
import { isScalar, type Scalar } from './plain-text.ts'

/** Keys and indexes from the root of a JSON value to a place in it. */
export type JsonPath = (string | number)[]

/** What to do at each place of a JSON value. */
export interface JsonVisitor {
  /** Takes the place of a scalar; `path` builds the path when it is wanted. What it returns is not visited. */
  leaf(value: Scalar, path: () => JsonPath): Json
  /** Takes the place of a key; two keys that become one get a number, so that no entry is lost. */
  key?(name: string): string
  /** Called for each list and map before its parts. */
  container?(): void
}

interface Frame {
  source: Json[] | JsonObject
  keys: readonly (string | number)[]
  target: Json[] | JsonObject
  next: number
}

/**
 * A copy of `root` with every scalar replaced, visited in document order. Nothing of the input is shared or changed.
 * It keeps its own stack: hostile nesting must not exhaust the call stack.
 */
export function mapJson(root: Json, visitor: JsonVisitor): Json {
  const stack: Frame[] = []
  const path = () => stack.map((frame) => frame.keys[frame.next - 1]!)
  const visit = (value: Json): Json => {
    if (isScalar(value)) return visitor.leaf(value, path)
    visitor.container?.()
    const list = Array.isArray(value)
    const target: Json[] | JsonObject = list ? [] : {}
    stack.push({ source: value, keys: list ? [...value.keys()] : Object.keys(value), target, next: 0 })
    return target
  }
  const result = visit(root)
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const key = frame.keys[frame.next]
    if (key === undefined) {
      stack.pop()
      continue
    }
    frame.next += 1
    const { source, target } = frame
    const child = visit(childOf(source, key))
    if (Array.isArray(target)) target.push(child)
    else setOwn(target, freeKey(target, visitor.key?.(String(key)) ?? String(key)), child)
  }
  return result
}

/** A deep copy that shares nothing with `value`. */
export function copyJson(value: Json): Json {
  return mapJson(value, { leaf: (scalar) => scalar })
}

/** How many lists and maps stand inside one another; 0 for a scalar. */
export function depthOfJson(value: Json): number {
  let depth = 0
  let containers = [value].filter(isContainer)
  for (; containers.length > 0; depth += 1) {
    containers = containers.flatMap((container) => Object.values(container)).filter(isContainer)
  }
  return depth
}

/** A path as people write it: `mcp_args.range.lte`, `tags[0]`, `terms["dns.Category"]`. */
export function formatJsonPath(root: string, path: Readonly<JsonPath>): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    if (!/^[\w@$-]+$/.test(key)) return `${text}[${JSON.stringify(key)}]`
    return text === '' ? key : `${text}.${key}`
  }, root)
}

/** The path that `formatJsonPath` wrote, root included. */
export function parseJsonPath(text: string): JsonPath {
  const steps = text.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)
  return [...steps].map(([, index, quoted, name]) => {
    if (index !== undefined) return Number(index)
    return quoted === undefined ? (name ?? '') : String(JSON.parse(quoted))
  })
}

function isContainer(value: Json): value is Json[] | JsonObject {
  return !isScalar(value)
}

function childOf(source: Json[] | JsonObject, key: string | number): Json {
  const child = Array.isArray(source) ? source[Number(key)] : source[key]
  return child ?? null
}

function freeKey(target: JsonObject, wanted: string): string {
  let key = wanted
  for (let count = 2; Object.hasOwn(target, key); count += 1) key = `${wanted}_${count}`
  return key
}

/** Assigns an own property whatever its name: plain assignment of `__proto__` would change the prototype. */
function setOwn(target: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  } else target[key] = value
}
