import type { z } from 'zod'
import { didYouMean } from './did-you-mean.ts'
import type { ErrorCode } from './error-codes.ts'
import { type Checked, type Finding, findingAt } from './finding.ts'
import type { Json } from './json-value.ts'
import { type SchemaPlace, schemaAt } from './schema-walk.ts'
import type { DocumentPath, YamlFile } from './yaml-file.ts'

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
  const findings: Finding[] = []
  const unset = new Set<string>()
  let current = value
  // Again without what the round before found wrong, so that one typo does not hide what else there is to say.
  for (let round = 0; round < maxRounds; round++) {
    const result = schema.safeParse(current, { reportInput: true })
    if (result.success) {
      const failed = findings.some((finding) => finding.severity === 'error')
      return { value: failed ? undefined : result.data, rest: result.data, findings }
    }
    const removed: DocumentPath[] = []
    for (const issue of flatten(result.error.issues)) {
      const path = issue.path.map(step)
      removed.push(...placesOf(issue))
      if (isUnset(issue, schemaAt(schema, path.slice(0, -1), current), options)) unset.add(path.join('.'))
      // What is missing only because it was taken out has been reported already.
      else if (round === 0 || issue.input !== undefined || unset.has(path.join('.')))
        findings.push(...complaints(source, issue, schemaAt(schema, path, current), options))
    }
    if (removed.some((path) => path.length === 0)) break
    current = withoutPaths(current, removed)
  }
  return { value: undefined, rest: undefined, findings }
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

/** What is wrong with a value, in words. */
function issueMessage(path: DocumentPath, issue: Issue, { secret }: SchemaPlace): string {
  const where = path.length > 0 ? `${path.join('.')}: ` : ''
  switch (issue.code) {
    case 'invalid_key':
      return `${where}${issue.issues[0]?.message ?? issue.message}`
    case 'invalid_value':
      return `${where}${outside(issue.input, issue.values.map(String), secret)}`
    case 'invalid_type':
      if (issue.input === undefined || (path.length === 0 && issue.input === null))
        return path.length === 0
          ? 'the file is empty'
          : `${where}is missing (wanted: ${kindWord(issue.expected)})`
      if (!issue.message.startsWith('Invalid input'))
        return `${where}${shown(issue.input, secret)} ${issue.message}`
      return `${where}${shown(issue.input, secret)} is not ${kindWord(issue.expected)}`
    case 'invalid_union':
      if ('options' in issue && Array.isArray(issue.options))
        return `${where}${outside(atKey(issue.input, path.at(-1)), issue.options.map(String), false)}`
      return `${where}${shown(issue.input, secret)} is not ${wantedWords(issue)}`
    default: {
      const subject = typeof issue.input === 'object' ? '' : `${shown(issue.input, secret)}: `
      return `${where}${subject}${issue.message}`
    }
  }
}

function outside(value: unknown, valid: readonly string[], secret: boolean): string {
  const guess = typeof value === 'string' ? didYouMean(value, valid) : undefined
  if (value === undefined) return `is missing: one of ${valid.join(', ')}`
  return `${shown(value, secret)} is not one of ${valid.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`
}

function atKey(value: unknown, key: string | number | undefined): unknown {
  if (value === null || typeof value !== 'object' || key === undefined) return undefined
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}

/** What the branches of a union would have taken. */
function wantedWords(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const words = issue.errors.map((branch) => {
    const first = branch[0]
    if (first?.code === 'invalid_type') return kindWord(first.expected)
    if (first?.code === 'invalid_value') return first.values.map(String).join(', ')
    return first?.message ?? ''
  })
  return [...new Set(words)].filter((word) => word !== '').join(', or ')
}

/** The schema's names for kinds of values, as YAML authors call them. */
function kindWord(kind: string): string {
  const words: Record<string, string> = {
    string: 'a text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    object: 'a map',
    record: 'a map',
    array: 'a list',
    tuple: 'a list',
    null: 'null',
  }
  return words[kind] ?? kind
}

/** A value as a message shows it, at most 80 characters; never a secret. */
function shown(value: unknown, secret: boolean): string {
  if (value === null) return 'nothing'
  if (secret) return 'what stands here (not shown)'
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a map'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

/** A copy without the values at the paths; a list with a wrong element goes as a whole, so that no place shifts. */
function withoutPaths(value: Json, paths: readonly DocumentPath[]): Json {
  const copy = structuredClone(value)
  for (const path of paths) {
    let end = path.length - 1
    while (end > 0 && typeof path[end] === 'number') end -= 1
    let here: unknown = copy
    for (const part of path.slice(0, end)) here = atKey(here, part)
    const last = path[end]
    if (here !== null && typeof here === 'object' && last !== undefined) Reflect.deleteProperty(here, last)
  }
  return copy
}
