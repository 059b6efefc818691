import type { FetchSpec, Json, JsonObject, LateArgument, TableSpec } from '@huntfleet/contract'
import { compactJson } from '../json/compact.ts'
import { decodeText } from '../json/decode-text.ts'
import { type Exact, ExactNumber, isExactArray, isExactObject } from '../json/exact.ts'
import { mapExact } from '../json/map-exact.ts'
import { parseExact } from '../json/parse-exact.ts'
import { toExact } from '../json/to-exact.ts'
import { toPlain } from '../json/to-plain.ts'
import { sourceName } from '../mapping.ts'
import { compilePath, type Path, readPath } from '../path.ts'
import type { ToolResult } from '../ports.ts'
import { fakeText } from './fake-text.ts'

/** Replaces the values of a table's answers by fakes, so that the table is fetched from them as it was from the real ones. */
export interface Scrubber {
  result(result: ToolResult): ToolResult
  text(text: string): string
  /** Arguments with the cursors and job ids in them as the scrubbed answers have them. */
  args(tool: string, args: JsonObject): JsonObject
}

/** Cursors in a text argument. */
const goesBack = new Set(['page.cursor', 'job.id'])

/**
 * Keys, structure, and what decides how a fetch goes on (totals, flags, the values that rules look at) stay; every
 * other string and number of an answer becomes a fake of the same shape, the same one wherever it stands.
 */
export function scrubber(spec: TableSpec, key: Uint8Array): Scrubber {
  const fake = fakeText(key, namesOf(spec))
  const controls = [...new Set(spec.fetches.flatMap(controlPaths))].map(compilePath)
  const value = (root: Exact): Exact => {
    const kept = controlValues(root, controls)
    return mapExact(root, {
      leaf(leaf) {
        if (leaf === null || typeof leaf === 'boolean') return leaf
        const text = leaf instanceof ExactNumber ? leaf.text : String(leaf)
        if (kept.has(text)) return leaf
        return typeof leaf === 'string' ? fake(leaf) : parseExact(fake(text), { lenientNumbers: true })
      },
    })
  }
  const text = (source: string): string => {
    const decoded = decodeText(source, 'auto', 0)
    let faked = ''
    let from = 0
    for (const found of decoded.values) {
      faked += fake(decoded.text.slice(from, found.start)) + compactJson(value(found.value))
      from = found.end
    }
    return faked + fake(decoded.text.slice(from))
  }
  const plain = (source: Json): Json => toPlain(value(toExact(source)))
  return {
    text,
    result: ({ content, structuredContent, meta, ...rest }) => ({
      ...rest,
      content: content.map((block) => ({
        ...block,
        ...(block.text !== undefined && { text: text(block.text) }),
        ...(block.uri !== undefined && { uri: fake(block.uri) }),
      })),
      structuredContent: structuredContent == null ? structuredContent : value(toExact(structuredContent)),
      meta: meta == null ? meta : value(toExact(meta)),
    }),
    args(tool, args) {
      const fetches = spec.fetches.filter((fetch) => toolsOf(fetch).includes(tool))
      const fetch = fetches[0]
      if (fetch === undefined) return args
      const copy = structuredClone(args)
      for (const path of cursorParams(fetch, tool)) replaceParam(copy, path, plain)
      for (const late of fetches.flatMap(lateArguments)) replaceLate(copy, late, plain)
      return copy
    },
  }
}

/** Names of columns as text tables write them, and what stands for null. */
function namesOf(spec: TableSpec): string[] {
  const sources = spec.fetches.flatMap((fetch) => fetch.mapping.map(sourceName))
  const nulls = spec.fetches.flatMap((fetch) => fetch.answer.nullValues)
  return [...spec.columns.map((column) => column.name), ...sources, ...nulls, ...spec.dedupeKey]
}

/** Places whose values decide how the fetch goes on. */
function controlPaths({ pagination, answer }: FetchSpec): string[] {
  const rules = [...(answer.errorWhen ?? []), ...answer.emptyWhen, ...(answer.truncatedWhen ?? [])]
  const paths = [pagination.totalPath, pagination.hasMorePath, answer.columnsPath]
  return [
    ...paths.filter((path) => path !== null),
    ...rules.flatMap((rule) => (rule.on === 'path' ? [rule.path] : [])),
    ...(pagination.job?.doneWhen.map(({ path }) => path) ?? []),
  ]
}

/** The texts of the scalars at these paths, and in lists there. */
function controlValues(root: Exact, paths: readonly Path[]): Set<string> {
  const kept = new Set<string>()
  for (const path of paths) {
    const found = readPath(root, path)
    for (const value of isExactArray(found) ? found : [found]) {
      const name = isExactObject(value) ? value.get('name') : value
      if (typeof name === 'string' || typeof name === 'number') kept.add(String(name))
      else if (name instanceof ExactNumber) kept.add(name.text)
    }
  }
  return kept
}

function toolsOf({ tool, pagination }: FetchSpec): (string | null)[] {
  const next = pagination.mode === 'none' ? null : pagination.nextTool
  return [tool, next, pagination.job?.pollTool ?? null]
}

/** The arguments of all its calls that wait for a value. */
function lateArguments({ late, pagination }: FetchSpec): LateArgument[] {
  const next = pagination.mode === 'none' ? [] : pagination.nextLate
  return [...late, ...next, ...(pagination.job?.submitLate ?? []), ...(pagination.job?.pollLate ?? [])]
}

function cursorParams({ pagination }: FetchSpec, tool: string): string[] {
  const { job, mode } = pagination
  const cursor = mode === 'cursor' || mode === 'keyset' ? pagination.cursorParam : null
  return [...(job?.pollTool === tool ? [job.pollParam] : []), ...(cursor === null ? [] : [cursor])]
}

const isObject = (value: Json | undefined): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Replaces the argument of this name, wherever the engine put it: at the top, along its dots, inside an object. */
function replaceParam(args: JsonObject, path: string, replace: (value: Json) => Json): void {
  for (const holder of [args, ...Object.values(args).filter(isObject)]) {
    if (Object.hasOwn(holder, path)) holder[path] = replace(holder[path] ?? null)
  }
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  let holder: Json | undefined = args
  for (const key of keys) holder = isObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined
  if (keys.length > 0 && isObject(holder) && Object.hasOwn(holder, last))
    holder[last] = replace(holder[last] ?? null)
}

/** Replaces cursors and job ids in an argument that is a text with placeholders. */
function replaceLate(args: JsonObject, { at, parts }: LateArgument, replace: (value: Json) => Json): void {
  const steps = [...at]
  const last = steps.pop()
  let holder: Json | undefined = args
  for (const step of steps) holder = childOf(holder, step)
  const value = last === undefined ? undefined : childOf(holder, last)
  if (last === undefined || value === undefined) return
  const replaced = withoutCursors(value, parts, replace)
  if (Array.isArray(holder)) holder[Number(last)] = replaced
  else if (isObject(holder)) holder[last] = replaced
}

const childOf = (holder: Json | undefined, key: string | number): Json | undefined => {
  if (Array.isArray(holder)) return holder[Number(key)]
  return isObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined
}

function withoutCursors(value: Json, parts: LateArgument['parts'], replace: (value: Json) => Json): Json {
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') return goesBack.has(only.name) ? replace(value) : value
  if (typeof value !== 'string') return value
  let result = ''
  let at = 0
  for (const [i, part] of parts.entries()) {
    if (typeof part === 'string') {
      // Another part of a for_each has other texts around its cursor.
      if (!value.startsWith(part, at)) return value
      result += part
      at += part.length
      continue
    }
    const next = parts[i + 1]
    const end = typeof next === 'string' ? value.indexOf(next, at) : value.length
    if (end < 0) return value
    const found = value.slice(at, end)
    result += goesBack.has(part.name) ? String(replace(found)) : found
    at = end
  }
  return result + value.slice(at)
}
