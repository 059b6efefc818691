import type { z } from 'zod'
import { didYouMean } from './did-you-mean.ts'
import type { ErrorCode } from './error-codes.ts'
import type { Json } from './json-value.ts'
import { type ErrorIssue, RunError } from './run-error.ts'
import type { DocumentPath, YamlFile } from './yaml-file.ts'

/** Something to say about an input file: errors stop, warnings do not. */
export interface Finding extends ErrorIssue {
  severity: 'error' | 'warning'
  code: ErrorCode
}

/** A file with its parsed value and what there is to say about it. */
export interface Checked<T> {
  /** undefined when there is an error. */
  value: T | undefined
  /** The value without what is wrong in it, so that the rest can be checked in the same go; undefined when nothing is left. */
  rest: T | undefined
  findings: Finding[]
}

/** A finding at a place of a file. */
export function findingAt(
  source: YamlFile,
  severity: Finding['severity'],
  code: ErrorCode,
  path: DocumentPath,
  message: string,
  what: 'key' | 'value' = 'value',
): Finding {
  return { severity, code, message, file: source.file, ...source.locate(path, what), path: path.join('.') }
}

/** Sorted by file (in the order in which they were read), then place; errors before warnings at one place. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  const files = [...new Set(findings.map((finding) => finding.file))]
  return [...findings].sort(
    (a, b) =>
      files.indexOf(a.file) - files.indexOf(b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0) ||
      a.severity.localeCompare(b.severity),
  )
}

/** Throws one `RunError` for all errors among the findings, the first one's words as its message. */
export function throwOnErrors(findings: readonly Finding[]): void {
  const errors = sortFindings(findings.filter((finding) => finding.severity === 'error'))
  const first = errors[0]
  if (first === undefined) return
  const { severity: _, code, message, ...place } = first
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  throw new RunError(code, `${message}${more}`, {
    ...place,
    ...(errors.length > 1 && { issues: errors.map(({ severity: _severity, ...issue }) => issue) }),
  })
}

/** Whether an unknown key at this path is an error (where a typo would fail open) or a warning. */
export type UnknownKeyPolicy = (path: DocumentPath) => Finding['severity']

interface CheckOptions {
  code: ErrorCode
  unknownKeys: UnknownKeyPolicy
  /** Prefix of all paths, when `value` is a part of the file. */
  at?: DocumentPath
}

/**
 * Checks a value of a file against its schema. Unknown keys become findings with a "did you mean" and are left out;
 * every other complaint names the path, the value and what would be valid.
 */
export function checkSchema<S extends z.ZodType>(
  source: YamlFile,
  value: Json,
  schema: S,
  options: CheckOptions,
): Checked<z.infer<S>> {
  const findings: Finding[] = []
  let current = value
  // Again without what the round before found wrong, so that one typo does not hide what else there is to say.
  for (let round = 0; round < 4; round++) {
    const result = schema.safeParse(current, { reportInput: true })
    if (result.success) {
      const failed = findings.some((finding) => finding.severity === 'error')
      return { value: failed ? undefined : result.data, rest: result.data, findings }
    }
    const removed: DocumentPath[] = []
    for (const issue of flatten(result.error.issues)) {
      removed.push(...placesOf(issue))
      // What is missing only because it was taken out has been reported already.
      if (round > 0 && issue.code !== 'unrecognized_keys' && issue.input === undefined) continue
      findings.push(...complaints(source, issue, knownKeys(schema, issue.path.map(step), current), options))
    }
    if (removed.some((path) => path.length === 0)) break
    current = withoutPaths(current, removed)
  }
  return { value: undefined, rest: undefined, findings }
}

/** The places of an issue: of each unknown key, or of the value itself. */
function placesOf(issue: Issue): DocumentPath[] {
  const path = issue.path.map(step)
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path]
}

function complaints(
  source: YamlFile,
  issue: Issue,
  known: readonly string[],
  options: CheckOptions,
): Finding[] {
  return placesOf(issue).map((path) => {
    const place = [...(options.at ?? []), ...path]
    return issue.code === 'unrecognized_keys'
      ? findingAt(source, options.unknownKeys(place), options.code, place, unknownKey(place, known), 'key')
      : findingAt(source, 'error', options.code, place, issueMessage(place, issue))
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

type Issue = z.core.$ZodIssue

const step = (part: PropertyKey): string | number => (typeof part === 'number' ? part : String(part))

/** Unions report one list of issues per branch; the branch that got furthest says what the author meant. */
function flatten(issues: readonly Issue[]): Issue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
    const depth = (list: readonly Issue[]) => Math.max(0, ...list.map((inner) => inner.path.length))
    const best = [...issue.errors].sort((a, b) => depth(b) - depth(a))[0] ?? []
    if (depth(best) === 0) return [issue]
    return flatten(best).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
  })
}

/** What is wrong with a value, in words. */
function issueMessage(path: DocumentPath, issue: Issue): string {
  const where = path.length > 0 ? `${path.join('.')}: ` : ''
  const got = issue.input === undefined ? undefined : shown(issue.input)
  switch (issue.code) {
    case 'invalid_key':
      return `${where}${issue.issues[0]?.message ?? issue.message}`
    case 'invalid_value': {
      const values = issue.values.map(String)
      const guess = typeof issue.input === 'string' ? didYouMean(issue.input, values) : undefined
      return `${where}${got ?? 'nothing'} is not one of ${values.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`
    }
    case 'invalid_type':
      return got === undefined
        ? `${where}is missing (wanted: ${issue.expected})`
        : `${where}${got} is not of type ${issue.expected}`
    default:
      return `${where}${got !== undefined && !issue.message.includes(got) ? `${got}: ` : ''}${issue.message}`
  }
}

/** A value as a message shows it, at most 80 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

/** The keys that the schema knows at a path. */
function knownKeys(schema: z.ZodType, path: DocumentPath, value: Json): string[] {
  let current: unknown = schema
  let here: Json | undefined = value
  for (const part of path) {
    const object = unwrapped(current, here)
    current = childOf(object, part)
    here =
      here !== null && typeof here === 'object' ? (here as Record<string | number, Json>)[part] : undefined
  }
  const object = unwrapped(current, here)
  const shape = field(object, 'shape')
  return shape !== null && typeof shape === 'object' ? Object.keys(shape) : []
}

function field(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? Reflect.get(value, name) : undefined
}

function childOf(schema: unknown, part: string | number): unknown {
  const def = field(schema, 'def')
  const shape = field(schema, 'shape')
  if (shape !== null && typeof shape === 'object' && Object.hasOwn(shape, part))
    return field(shape, String(part))
  return field(def, 'valueType') ?? field(def, 'element')
}

/** Looks through optional, default, pipe, lazy and union wrappers to the object schema that fits the value. */
function unwrapped(schema: unknown, value: Json | undefined): unknown {
  let current = schema
  for (let i = 0; i < 10; i++) {
    const def = field(current, 'def')
    const options = field(def, 'options')
    if (Array.isArray(options)) {
      const mode = field(value, 'mode')
      const fits = (option: unknown) => {
        const literal = field(field(field(field(option, 'shape'), 'mode'), 'def'), 'values')
        return Array.isArray(literal) && literal.includes(mode)
      }
      const list = Array.isArray(value)
      current =
        options.find(fits) ??
        options.find(
          (option) => (list ? field(field(option, 'def'), 'element') : field(option, 'shape')) !== undefined,
        )
      continue
    }
    const inner = field(def, 'innerType') ?? field(def, 'in')
    if (inner === undefined) return current
    current = inner
  }
  return current
}

function withoutPaths(value: Json, paths: readonly DocumentPath[]): Json {
  const copy = structuredClone(value)
  for (const path of paths) {
    let here: unknown = copy
    for (const part of path.slice(0, -1)) here = field(here, String(part))
    const last = path.at(-1)
    if (here !== null && typeof here === 'object' && last !== undefined) Reflect.deleteProperty(here, last)
  }
  return copy
}
