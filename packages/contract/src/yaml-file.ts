import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml'
import type { ErrorCode } from './error-codes.ts'
import type { Json } from './json-value.ts'
import { type ErrorIssue, RunError } from './run-error.ts'

export type DocumentPath = readonly (string | number)[]

/** A parsed YAML file that still knows where everything stands. */
export interface YamlFile {
  /** The name for messages, as the user gave it. */
  readonly file: string
  readonly value: Json
  /** Line and column (1-based) of what stands at the path; of its nearest parent if nothing does. */
  locate(path: DocumentPath, what?: 'key' | 'value'): { line: number; column: number }
}

/** Larger files are no strategy: refused before they are parsed. */
const maxBytes = 1 << 20
/** How often anchors may be expanded in all; above it the file is an alias bomb. */
const maxAliasCount = 100
/** Deeper nesting is no strategy, and would exhaust the parser's stack. */
const maxDepth = 100

/**
 * Parses YAML 1.2 (with `<<` merge keys). Duplicate keys, alias bombs, tags, several documents and integers that a
 * JavaScript number cannot hold are errors of the given code, all of them reported at once with line and column.
 */
export function parseYamlFile(file: string, text: string, code: ErrorCode): YamlFile {
  const refuse = (message: string, issues: ErrorIssue[]): never => {
    throw new RunError(code, message, { file, ...firstPlace(issues), ...(issues.length > 1 && { issues }) })
  }
  if (Buffer.byteLength(text) > maxBytes) refuse(`${file} is larger than ${maxBytes >> 20} MiB`, [])
  if (nestsTooDeep(text)) refuse(`${file} nests deeper than ${maxDepth} levels`, [])
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    merge: true,
    intAsBigInt: true,
    logLevel: 'silent',
  })
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const issues: ErrorIssue[] = document.errors.map((error) => ({
    message: yamlMessage(error.code, error.message, text, error.pos),
    file,
    ...place(error.pos[0]),
  }))
  if (issues.length > 0) refuse(issues[0]!.message, issues)
  const value = toJson(document, file, code)
  return { file, value, locate: (path, what = 'value') => place(offsetOf(document, path, what)) }
}

function firstPlace(issues: readonly ErrorIssue[]): Pick<ErrorIssue, 'line' | 'column'> {
  const { line, column } = issues[0] ?? {}
  return { ...(line !== undefined && { line }), ...(column !== undefined && { column }) }
}

/** The parser's message in one line, with the key for the commonest mistake. */
function yamlMessage(code: string, message: string, text: string, pos: readonly [number, number]): string {
  if (code === 'DUPLICATE_KEY') {
    const key = /^[^\s:,}]+/.exec(text.slice(pos[0], pos[0] + 80))?.[0] ?? ''
    return `the key ${JSON.stringify(key)} stands twice; keep one of the two`
  }
  return `not valid YAML: ${(message.split('\n')[0] ?? '').replace(/ at line \d+.*$/, '')}`
}

/** A cheap bound on nesting, by flow brackets and by indentation, before the recursive parser sees the text. */
function nestsTooDeep(text: string): boolean {
  let flow = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 0x5b || c === 0x7b) flow += 1
    else if (c === 0x5d || c === 0x7d) flow = Math.max(0, flow - 1)
    else if (c === 0x0a) {
      // `- - - -` and deep indentation nest too: a level takes two characters at least.
      const lead = /^[ -]*/.exec(text.slice(i + 1, i + 1 + 4 * maxDepth))?.[0].length ?? 0
      if (lead > 2 * maxDepth + 40) return true
    }
    if (flow > maxDepth) return true
  }
  return false
}

function toJson(document: Document, file: string, code: ErrorCode): Json {
  let plain: unknown
  try {
    plain = document.toJS({ maxAliasCount })
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    const bomb = /alias/i.test(what)
    throw new RunError(
      code,
      bomb ? `${file} expands its anchors more than ${maxAliasCount} times` : `${file}: ${what}`,
      { file, ...(bomb && { hint: 'write the repeated part out, or use fewer aliases' }) },
      error,
    )
  }
  return plainJson(plain, file, code, [])
}

/** BigInts become numbers where that loses nothing; other values that are not JSON are refused. */
function plainJson(value: unknown, file: string, code: ErrorCode, path: (string | number)[]): Json {
  if (value === null || value === undefined) return null
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'number':
      return value
    case 'bigint': {
      if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) return Number(value)
      throw new RunError(
        code,
        `${path.join('.')}: the integer ${value} would lose digits; write it in quotes`,
        {
          file,
          path: path.join('.'),
        },
      )
    }
    case 'object': {
      if (Array.isArray(value)) return value.map((item, i) => plainJson(item, file, code, [...path, i]))
      const entries = Object.entries(value).map(([key, item]) => [
        key,
        plainJson(item, file, code, [...path, key]),
      ])
      return Object.fromEntries(entries)
    }
    default:
      return String(value)
  }
}

/** Where in the text the node at `path` begins; the nearest parent's place when there is no such node. */
function offsetOf(document: Document, path: DocumentPath, what: 'key' | 'value'): number {
  let node = resolved(document, document.contents as Node | null)
  let offset = node?.range?.[0] ?? 0
  for (const [i, step] of path.entries()) {
    if (isMap(node)) {
      const pair = pairOf(document, node, String(step))
      if (pair === undefined) return offset
      const key = pair.key as Node
      const value = pair.value as Node | null
      const last = i === path.length - 1
      offset = (last && what === 'value' && value?.range?.[0]) || (key.range?.[0] ?? offset)
      node = resolved(document, value)
    } else if (isSeq(node)) {
      const item = node.items[Number(step)] as Node | undefined
      if (item === undefined) return offset
      offset = (isPair(item) ? (item.key as Node) : item).range?.[0] ?? offset
      node = resolved(document, item)
    } else return offset
  }
  return offset
}

function resolved(document: Document, node: Node | null | undefined): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : (node ?? null)
}

/** The pair of a key, looked for in merged maps too. */
function pairOf(document: Document, map: YAMLMap, key: string): Pair | undefined {
  const own = map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)
  if (own !== undefined) return own
  for (const pair of map.items) {
    if (!isScalar(pair.key) || String(pair.key.value) !== '<<') continue
    const source = resolved(document, pair.value as Node)
    const maps = isSeq(source) ? source.items.map((item) => resolved(document, item as Node)) : [source]
    for (const merged of maps) {
      const found = isMap(merged) ? pairOf(document, merged, key) : undefined
      if (found !== undefined) return found
    }
  }
  return undefined
}
