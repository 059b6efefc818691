import type { ErrorCode } from './error-codes.ts'
import type { Json } from './json-value.ts'
import { type ErrorIssue, RunError } from './run-error.ts'
import { parseYamlDocument } from './yaml-document.ts'
import { offsetAt } from './yaml-place.ts'
import { yamlValue } from './yaml-value.ts'

export type DocumentPath = readonly (string | number)[]

/** Line and column count from 1. */
export interface Place {
  file: string
  line: number
  column: number
}

/** A parsed YAML file that still knows where everything stands. */
export interface YamlFile {
  /** The name for messages, as the user gave it. */
  readonly file: string
  readonly value: Json
  /** Place of what stands at the path; of its nearest parent if nothing does. */
  locate(path: DocumentPath, what?: 'key' | 'value'): Place
}

/** Larger files are no strategy: refused before they are parsed. */
const maxBytes = 1 << 20
/** More findings than these about one file help nobody. */
const maxIssues = 50

/**
 * Parses YAML 1.2 (with `<<` merge keys). Duplicate keys, alias bombs, unknown tags, several documents and integers
 * that a JavaScript number cannot hold are errors of the given code, all reported at once with line and column.
 */
export function parseYamlFile(file: string, text: string, code: ErrorCode): YamlFile {
  if (Buffer.byteLength(text) > maxBytes)
    throw new RunError(code, `${file} is larger than ${maxBytes >> 20} MiB`, { file })
  const { document, lines, problems: wrong } = parseYamlDocument(text.replace(/^\uFEFF/, ''))
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(1, line), column: Math.max(1, col) }
  }
  refuse(
    code,
    wrong.map(({ message, offset }) => ({ message, ...place(offset) })),
  )
  // What is not read has been refused.
  if (document === null) throw new Error('a document without problems must be there')
  const locate: YamlFile['locate'] = (path, what = 'value') => place(offsetAt(document, path, what))
  const { value, problems } = yamlValue(document)
  refuse(
    code,
    problems.map(({ message, path }) => ({ message, path: path.join('.'), ...locate(path) })),
    problems[0]?.hint,
  )
  return { file, value, locate }
}

/** One error for all issues, the first one's words and place as its own. */
function refuse(code: ErrorCode, issues: ErrorIssue[], hint?: string): void {
  const sorted = issues
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    .slice(0, maxIssues)
  const [first] = sorted
  if (first === undefined) return
  const { message, ...at } = first
  const more = sorted.length > 1 ? ` (and ${sorted.length - 1} more)` : ''
  throw new RunError(code, `${message}${more}`, {
    ...at,
    ...(sorted.length > 1 && { issues: sorted }),
    ...(hint !== undefined && { hint }),
  })
}

/** Whether the file has a value at the path. */
export function holds(value: Json, path: DocumentPath): boolean {
  let here: Json | undefined = value
  for (const step of path) {
    if (here === null || typeof here !== 'object' || !Object.hasOwn(here, step)) return false
    here = Array.isArray(here) ? here[Number(step)] : here[String(step)]
    if (here === undefined) return false
  }
  return true
}

/** A file under its overlay: maps are joined key by key, anything else is replaced; places are those of the file that won. */
export function overlaidFile(below: YamlFile, above: YamlFile): YamlFile {
  return {
    file: below.file,
    value: overlaid(below.value ?? {}, above.value ?? {}),
    locate: (path, what) => (path.length > 0 && holds(above.value, path) ? above : below).locate(path, what),
  }
}

function overlaid(below: Json, above: Json): Json {
  if (!isMap(below) || !isMap(above)) return above
  const merged = new Map(Object.entries(below))
  for (const [key, value] of Object.entries(above)) {
    const under = merged.get(key)
    merged.set(key, under === undefined ? value : overlaid(under, value))
  }
  return Object.fromEntries(merged)
}

const isMap = (value: Json): value is { [key: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
