import {
  type FetchSpec,
  fillLateArguments,
  type Json,
  type JsonObject,
  type LateArgument,
  type PaginationSpec,
  RunError,
} from '@huntfleet/contract'
import type { PageRequest } from './paginator.ts'
import type { ToolInfo } from './ports.ts'

/** JSON Schema as far as we look at it. */
interface ArgumentSchema {
  type: string | undefined
  default: Json | undefined
  maximum: number | undefined
  properties: ReadonlyMap<string, ArgumentSchema>
}

/** Arguments nest no deeper than this in what we look at. */
const deepest = 8

/** Builds the arguments of each page of one fetch. */
export interface ArgumentBuilder {
  build(request: PageRequest, values: (name: string) => Json | undefined): JsonObject
  /** What the manifest says about arguments that were put elsewhere than written. */
  readonly notes: readonly string[]
  /** The limit's `maximum` in the tool's schema; undefined when it has none. */
  readonly limitMaximum: number | undefined
  /** The numbers of rows that the arguments themselves, or their defaults in the schema, ask for. */
  askedFor(args: JsonObject): ReadonlySet<number>
}

/**
 * How a fetch's arguments are put together (SPEC section 8): paging parameters may be dot-paths; one that the tool
 * does not declare goes into the only declared object argument that the binding sets too (the seeds' Elasticsearch
 * example depends on it); values take the type, string or integer, that the schema declares. `nextTool` is the tool of
 * the pages after the first. A tool that is not known declares nothing.
 */
export function argumentBuilder(
  spec: FetchSpec,
  tool: ToolInfo | undefined,
  nextTool = tool,
): ArgumentBuilder {
  const { pagination } = spec
  const schema = readSchema(tool?.inputSchema ?? {}, 0)
  const first = toolCall(spec.tool, spec.args, spec.late, schema)
  const following = followingCall(
    spec,
    nextTool === tool ? schema : readSchema(nextTool?.inputSchema ?? {}, 0),
  )
  const params = paramsOf(pagination)
  const limitParam = pagination.mode === 'none' ? null : pagination.limitParam
  return {
    notes: [...new Set([first, following].flatMap((call) => params.flatMap((param) => call.noteOn(param))))],
    limitMaximum: limitParam === null ? undefined : schemaAt(schema, first.placeOf(limitParam))?.maximum,
    build(request, values) {
      const call = request.following ? following : first
      const variable = (name: string) =>
        Object.hasOwn(request.variables, name) ? request.variables[name] : values(name)
      let args = fillLateArguments(call.args, call.late, variable)
      for (const { path, value } of request.params) {
        const place = call.placeOf(path)
        args = withArgument(args, place, declaredType(value, schemaAt(call.schema, place)?.type))
      }
      return args
    },
    askedFor: (args) => askedFor(args, schema),
  }
}

/** What the pages of a fetch that go through one tool have in common. */
interface ToolCall {
  args: JsonObject
  late: readonly LateArgument[]
  schema: ArgumentSchema
  placeOf(param: string): readonly string[]
  /** What to say about where a parameter goes: nothing, or one sentence. */
  noteOn(param: string): string[]
}

function toolCall(
  tool: string,
  args: JsonObject,
  late: readonly LateArgument[],
  schema: ArgumentSchema,
): ToolCall {
  const placeOf = (param: string) => choosePlace(param, schema, args)
  return {
    args,
    late,
    schema,
    placeOf,
    noteOn(param) {
      const place = placeOf(param)
      if (place.length < 2 || param.includes('.')) return []
      return [
        `the tool ${tool} does not declare ${param}: it is sent inside ${place[0]}, as ${place.join('.')}`,
      ]
    },
  }
}

/** The call of the pages after the first. */
function followingCall({ tool, args, late, pagination }: FetchSpec, schema: ArgumentSchema): ToolCall {
  if (pagination.mode === 'none') return toolCall(tool, args, late, schema)
  const name = pagination.nextTool ?? tool
  return pagination.nextArgs === null
    ? toolCall(name, args, late, schema)
    : toolCall(name, pagination.nextArgs, pagination.nextLate, schema)
}

/** The paging parameters that a pagination sets. */
function paramsOf(pagination: PaginationSpec): string[] {
  const named = (...params: (string | null)[]) => params.filter((param) => param !== null)
  switch (pagination.mode) {
    case 'none':
      return []
    case 'offset':
      return named(pagination.offsetParam, pagination.limitParam)
    case 'page':
      return named(pagination.pageParam, pagination.limitParam)
    case 'cursor':
    case 'keyset':
      return named(pagination.cursorParam, pagination.limitParam)
    case 'time_window':
      return named(pagination.startParam, pagination.endParam, pagination.limitParam)
  }
}

const field = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' ? Reflect.get(value, name) : undefined

function readSchema(value: unknown, depth: number): ArgumentSchema {
  const only = soleVariant(value)
  const type = field(only, 'type')
  const properties = field(only, 'properties')
  const maximum = field(only, 'maximum')
  const fallback = field(value, 'default')
  const inner = new Map<string, ArgumentSchema>()
  if (properties !== null && typeof properties === 'object' && depth < deepest) {
    for (const [name, property] of Object.entries(properties))
      inner.set(name, readSchema(property, depth + 1))
  }
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type]
  return {
    type: types.length === 1 && typeof types[0] === 'string' ? types[0] : undefined,
    default: typeof fallback === 'number' || typeof fallback === 'string' ? fallback : undefined,
    maximum: typeof maximum === 'number' ? maximum : undefined,
    properties: inner,
  }
}

/** `anyOf: [{type: integer}, {type: null}]` is how Pydantic, and so every FastMCP server, writes an optional integer. */
function soleVariant(value: unknown): unknown {
  const variants = field(value, 'anyOf') ?? field(value, 'oneOf')
  if (!Array.isArray(variants)) return value
  const others = variants.filter((variant) => field(variant, 'type') !== 'null')
  return others.length === 1 ? others[0] : value
}

function schemaAt(schema: ArgumentSchema, place: readonly string[]): ArgumentSchema | undefined {
  let here: ArgumentSchema | undefined = schema
  for (const key of place) here = here?.properties.get(key)
  return here
}

function choosePlace(param: string, schema: ArgumentSchema, args: JsonObject): string[] {
  if (Object.hasOwn(args, param) || schema.properties.has(param)) return [param]
  if (param.includes('.')) return param.split('.')
  if (schema.properties.size === 0) return [param]
  const homes = [...schema.properties].filter(
    ([name, property]) => property.type === 'object' && isObject(args[name]),
  )
  const home = homes.length === 1 ? homes[0]?.[0] : undefined
  return home === undefined ? [param] : [home, param]
}

const isObject = (value: Json | undefined): value is JsonObject =>
  value !== null && value !== undefined && typeof value === 'object' && !Array.isArray(value)

/**
 * A copy of the arguments with a value at a place; objects on the way are made. Throws ARGUMENT_INVALID where the way
 * leads through something else, which must not be replaced behind the author's back.
 */
export function withArgument(args: JsonObject, place: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = place
  if (key === undefined) return args
  if (key === '__proto__') throw new RunError('BINDING_INVALID', 'an argument cannot be named __proto__')
  if (rest.length === 0) return { ...args, [key]: value }
  const below = Object.hasOwn(args, key) ? args[key] : undefined
  if (below === undefined || below === null) return { ...args, [key]: withArgument({}, rest, value) }
  if (isObject(below)) return { ...args, [key]: withArgument(below, rest, value) }
  throw new RunError(
    'ARGUMENT_INVALID',
    `the argument ${key} is ${Array.isArray(below) ? 'a list' : `a ${typeof below}`}, so that nothing can be set at ${place.join('.')}`,
    { hint: 'correct the *_param of `pagination`, or make the argument in mcp_args an object' },
  )
}

/** The value in the type that the tool declares. */
function declaredType(value: Json, type: string | undefined): Json {
  if (type === 'string' && typeof value === 'number') return String(value)
  if ((type === 'integer' || type === 'number') && typeof value === 'string' && /^-?\d{1,15}$/.test(value))
    return Number(value)
  return value
}

const limitName = /^(?:limit|size|count|first|top|per_?[pP]age|page_?[sS]ize|max_.+|max[A-Z].*)$/

/** Numeric arguments that say how many rows are wanted, at any depth, or their defaults in the schema. */
function askedFor(args: JsonObject, schema: ArgumentSchema): Set<number> {
  const found = new Set<number>()
  const walk = (value: JsonObject, here: ArgumentSchema | undefined, depth: number) => {
    const declared = [...(here?.properties ?? [])].filter(([name]) => !Object.hasOwn(value, name))
    const defaults = declared.map(([name, property]): [string, Json] => [name, property.default ?? null])
    for (const [name, item] of [...Object.entries(value), ...defaults]) {
      const number = wholeNumber(item)
      if (number !== undefined && limitName.test(name)) found.add(number)
      if (isObject(item) && depth < deepest) walk(item, here?.properties.get(name), depth + 1)
    }
  }
  walk(args, schema, 0)
  return found
}

/** A positive whole number, as a number or as digits. */
function wholeNumber(value: Json): number | undefined {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number > 0 ? number : undefined
}
