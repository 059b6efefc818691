import { type FetchSpec, fillLateArguments, type Json, type JsonObject, RunError } from '@huntfleet/contract'
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
 * example depends on it); values take the type, string or integer, that the schema declares.
 */
export function argumentBuilder(spec: FetchSpec, tool: ToolInfo | undefined): ArgumentBuilder {
  const schema = readSchema(tool?.inputSchema ?? {}, 0)
  const notes: string[] = []
  const places = new Map<string, string[]>()
  const placeOf = (param: string): string[] => {
    const known = places.get(param)
    if (known !== undefined) return known
    const place = choosePlace(param, schema, spec.args)
    if (place.length > 1 && !param.includes('.')) {
      notes.push(
        `the tool ${spec.tool} does not declare ${param}: it is sent inside ${place[0]}, as ${place.join('.')}`,
      )
    }
    places.set(param, place)
    return place
  }
  const limitParam = spec.pagination.mode === 'none' ? null : spec.pagination.limitParam
  return {
    notes,
    limitMaximum: limitParam === null ? undefined : schemaAt(schema, placeOf(limitParam))?.maximum,
    build(request, values) {
      const base =
        request.following && spec.pagination.mode !== 'none'
          ? (spec.pagination.nextArgs ?? spec.args)
          : spec.args
      const late = base === spec.args ? spec.late : []
      let args = fillLateArguments(base, late, (name) => request.variables[name] ?? values(name))
      for (const { path, value } of request.params) {
        const place = placeOf(path)
        args = withArgument(args, place, declaredType(value, schemaAt(schema, place)?.type))
      }
      return args
    },
    askedFor: (args) => askedFor(args, schema),
  }
}

function readSchema(value: unknown, depth: number): ArgumentSchema {
  const field = (name: string): unknown =>
    value !== null && typeof value === 'object' ? Reflect.get(value, name) : undefined
  const type = field('type')
  const properties = field('properties')
  const maximum = field('maximum')
  const fallback = field('default')
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

/** A copy of the arguments with a value at a place; objects on the way are made. */
export function withArgument(args: JsonObject, place: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = place
  if (key === undefined) return args
  if (key === '__proto__') throw new RunError('BINDING_INVALID', 'an argument cannot be named __proto__')
  const below = args[key]
  if (rest.length === 0) return { ...args, [key]: value }
  return { ...args, [key]: withArgument(isObject(below) ? below : {}, rest, value) }
}

/** The value in the type that the tool declares. */
function declaredType(value: Json, type: string | undefined): Json {
  if (type === 'string' && typeof value === 'number') return String(value)
  if ((type === 'integer' || type === 'number') && typeof value === 'string' && /^-?\d{1,15}$/.test(value))
    return Number(value)
  return value
}

const limitName = /^(?:limit|size|count|first|top|per_?page|page_?size|max_.+|max[A-Z].*)$/

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
