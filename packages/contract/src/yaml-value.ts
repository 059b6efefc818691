import type { Document } from 'yaml'
import type { Json } from './json-value.ts'
import { maxYamlDepth, tooDeep } from './yaml-document.ts'
import type { DocumentPath } from './yaml-file.ts'

/** What is wrong with a value, and where it stands. */
export interface ValueProblem {
  message: string
  path: DocumentPath
  hint?: string
}

/** How often one anchor may be expanded; above it the file is an alias bomb. */
const maxAliasCount = 1_000
/** With all anchors expanded. */
const maxValues = 100_000
const hint = 'write the repeated part out, or use fewer aliases'

/** The document as JSON. Integers that a JavaScript number cannot hold, NaN and infinities are problems. */
export function yamlValue(document: Document): { value: Json; problems: ValueProblem[] } {
  let plain: unknown
  try {
    plain = document.toJS({ maxAliasCount })
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    const problem: ValueProblem = /alias count/i.test(what)
      ? { message: `an anchor is expanded more than ${maxAliasCount} times`, path: [], hint }
      : { message: `not valid YAML: ${what}`, path: [] }
    return { value: null, problems: [problem] }
  }
  const problems: ValueProblem[] = []
  const say = (path: DocumentPath, what: string) =>
    problems.push({ message: `${path.join('.')}: ${what}`, path })
  let values = 0
  let deep = false
  const container = (value: object, path: DocumentPath): Json => {
    deep ||= path.length > maxYamlDepth
    if (deep || values > maxValues) return null
    if (Array.isArray(value)) return value.map((item, i) => visit(item, [...path, i]))
    if (Object.getPrototypeOf(value) !== Object.prototype) {
      say(path, 'not a text, number, list or map; remove its tag')
      return null
    }
    const entries = Object.entries(value).map(([key, item]) => [key, visit(item, [...path, key])])
    return Object.fromEntries(entries)
  }
  const visit = (value: unknown, path: DocumentPath): Json => {
    values += 1
    if (typeof value === 'object' && value !== null) return container(value, path)
    if (typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'bigint') {
      if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) return Number(value)
      say(path, 'the integer would lose digits (beyond 2^53); write it in quotes')
    } else if (typeof value === 'number') {
      if (Number.isFinite(value)) return value
      say(path, `${value} is no number that a file may hold`)
    }
    return null
  }
  const value = visit(plain, [])
  if (deep) problems.push({ message: tooDeep, path: [], hint })
  if (values > maxValues)
    problems.push({
      message: `with its anchors expanded the file has more than ${maxValues} values`,
      path: [],
      hint,
    })
  return { value, problems }
}
