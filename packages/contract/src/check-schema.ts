import type { z } from 'zod'
import { didYouMean } from './did-you-mean.ts'
import type { ErrorCode } from './error-codes.ts'
import { type Checked, type Finding, findingAt } from './finding.ts'
import { issueMessage } from './issue-message.ts'
import type { Json } from './json-value.ts'
import { entryAt, type SchemaPlace, schemaAt } from './schema-walk.ts'
import { type DocumentPath, holds, type YamlFile } from './yaml-file.ts'

/** Whether an unknown key at this path is an error (where a typo would fail open) or a warning. */
export type UnknownKeyPolicy = (path: DocumentPath) => Finding['severity']

interface CheckOptions {
  code: ErrorCode
  unknownKeys: UnknownKeyPolicy
}

/** One round finds everything at every level; later ones only what depends on something that was wrong. */
const maxRounds = 8

/**
 * Checks a value of a file against its schema. Unknown keys become findings with a "did you mean" and are left out;
 * every other complaint names the path, the value and what would be valid. A known key without a value is not set, as
 * in the documents people have, except where a typo would fail open.
 */
export function checkSchema<S extends z.ZodType>(
  source: YamlFile,
  value: Json,
  schema: S,
  options: CheckOptions,
): Checked<z.infer<S>> {
  const check: Check = { source, schema, options, findings: [], unset: new Set(), faulty: [] }
  const { findings } = check
  let current = value
  // Again without what the round before found wrong, so that one typo does not hide what else there is to say.
  for (let round = 0; round < maxRounds; round++) {
    const result = schema.safeParse(current, { reportInput: true })
    if (result.success) {
      const failed = findings.some((finding) => finding.severity === 'error')
      return { value: failed ? undefined : result.data, rest: result.data, findings }
    }
    for (const issue of flatten(result.error.issues)) report(check, issue, current, round === 0)
    const removed = flatten(result.error.issues).flatMap((issue) => withdrawn(issue, current))
    if (removed.some((path) => path.length === 0)) break
    current = withoutPaths(current, removed)
  }
  return { value: undefined, rest: undefined, findings }
}

interface Check {
  source: YamlFile
  schema: z.ZodType
  options: CheckOptions
  findings: Finding[]
  /** Known keys without a value. */
  unset: Set<string>
  /** Places with an error. */
  faulty: DocumentPath[]
}

function report(check: Check, issue: Issue, value: Json, first: boolean): void {
  const { source, schema, options, findings, unset, faulty } = check
  const path = issue.path.map(step)
  const name = path.join('.')
  if (isUnset(issue, schemaAt(schema, path.slice(0, -1), value), options)) {
    unset.add(name)
    return
  }
  if (!first && !unset.has(name) && isConsequence(value, path, faulty)) return
  const said = complaints(source, issue, schemaAt(schema, path, value), options)
  findings.push(...said)
  if (said.some((finding) => finding.severity === 'error')) faulty.push(...placesOf(issue))
}

/** What the next round does without; what lacks something goes as a whole. */
function withdrawn(issue: Issue, value: Json): DocumentPath[] {
  const path = issue.path.map(step)
  return holds(value, path) ? placesOf(issue) : [path.slice(0, -1)]
}

/** What is missing or empty only because something faulty was taken out has been reported already. */
function isConsequence(value: Json, path: DocumentPath, faulty: readonly DocumentPath[]): boolean {
  if (!holds(value, path)) return true
  const here = path.reduce<unknown>(entryAt, value)
  const isEmpty = here !== null && typeof here === 'object' && Object.keys(here).length === 0
  return (
    isEmpty &&
    faulty.some((fault) => fault.length > path.length && path.every((part, i) => part === fault[i]))
  )
}

/** A known key that stands there without a value. */
function isUnset(issue: Issue, parent: SchemaPlace, options: CheckOptions): boolean {
  const path = issue.path.map(step)
  const lax = path.length === 1 || options.unknownKeys(path) === 'warning'
  return issue.input === null && lax && parent.keys.includes(String(path.at(-1)))
}

type Issue = z.core.$ZodIssue

const step = (part: PropertyKey): string | number => (typeof part === 'number' ? part : String(part))

/** The places of an issue: of each unknown key, or of the value itself. */
function placesOf(issue: Issue): DocumentPath[] {
  const path = issue.path.map(step)
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path]
}

function complaints(source: YamlFile, issue: Issue, schema: SchemaPlace, options: CheckOptions): Finding[] {
  return placesOf(issue).map((path) => {
    if (issue.code === 'unrecognized_keys')
      return findingAt(
        source,
        options.unknownKeys(path),
        options.code,
        path,
        unknownKey(path, schema.keys),
        'key',
      )
    const what = issue.code === 'invalid_key' ? 'key' : 'value'
    return findingAt(source, 'error', options.code, path, issueMessage(path, issue, schema), what)
  })
}

function unknownKey(place: DocumentPath, known: readonly string[]): string {
  const guess = didYouMean(String(place.at(-1)), known)
  const advice =
    guess !== undefined
      ? `; did you mean ${JSON.stringify(guess)}?`
      : known.length > 0
        ? `; known here: ${known.join(', ')}`
        : ''
  return `unknown key ${JSON.stringify(place.join('.'))}${advice}`
}

/** Unions report one list of issues per branch; the branch that got furthest says what the author meant. */
function flatten(issues: readonly Issue[]): Issue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
    const depth = (list: readonly Issue[]) => Math.max(0, ...list.map(reach))
    const best = [...issue.errors].sort((a, b) => depth(b) - depth(a))[0] ?? []
    if (depth(best) === 0) return [issue]
    return flatten(best).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
  })
}

/** How near a branch came to the value: deepest first, then the right kind of value with something wrong in it. */
function reach(issue: Issue): number {
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_union':
      return issue.path.length
    case 'invalid_value':
      return issue.path.length + (typeof issue.values[0] === typeof issue.input ? 0.25 : 0)
    case 'unrecognized_keys':
      return issue.path.length + 1
    default:
      return issue.path.length + 0.5
  }
}

/** A copy without the values at the paths; a list with a wrong element goes as a whole, so that no place shifts. */
function withoutPaths(value: Json, paths: readonly DocumentPath[]): Json {
  const copy = structuredClone(value)
  for (const path of paths) {
    let end = path.length - 1
    while (end > 0 && typeof path[end] === 'number') end -= 1
    let here: unknown = copy
    for (const part of path.slice(0, end)) here = entryAt(here, part)
    const last = path[end]
    if (here !== null && typeof here === 'object' && last !== undefined) Reflect.deleteProperty(here, last)
  }
  return copy
}
