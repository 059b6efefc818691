import type { Json, JsonObject } from '@huntfleet/contract'

/** Arguments nest no deeper than this in what we look at. */
const deepest = 5

/**
 * What of the arguments does not fit a tool's input schema, as sentences: missing and undeclared arguments, wrong
 * types, values outside an enum or a range. It reads the keywords that tools use and passes over all others, so that a
 * strange or hostile schema can neither fail nor stall a hunt; patterns are never run.
 */
export function argumentMisfits(schema: unknown, args: JsonObject): string[] {
  return misfits(schema, args, '', 0)
}

function misfits(schema: unknown, value: Json, path: string, depth: number): string[] {
  if (!isRecord(schema) || depth > deepest) return []
  const types = typesOf(schema)
  const at = path === '' ? 'the arguments' : path
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return [`${at} must be ${types.join(' or ')}, not ${kindOf(value)}`]
  }
  const { enum: values, minimum, maximum } = schema
  if (Array.isArray(values) && !values.some((one) => JSON.stringify(one) === JSON.stringify(value))) {
    return [
      `${at} must be one of ${values
        .slice(0, 20)
        .map((one) => JSON.stringify(one))
        .join(', ')}`,
    ]
  }
  if (typeof value === 'number') {
    if (typeof minimum === 'number' && value < minimum) return [`${at} must be at least ${minimum}`]
    if (typeof maximum === 'number' && value > maximum) return [`${at} must be at most ${maximum}`]
  }
  return isObject(value) ? memberMisfits(schema, value, path, depth) : []
}

function memberMisfits(
  schema: Record<string, unknown>,
  value: JsonObject,
  path: string,
  depth: number,
): string[] {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const { required, additionalProperties } = schema
  const names = Object.keys(properties)
  const below = (name: string) => (path === '' ? name : `${path}.${name}`)
  const missing = Array.isArray(required)
    ? required.filter((name) => typeof name === 'string' && !Object.hasOwn(value, name))
    : []
  const found = missing.map((name) => `${below(String(name))} is missing`)
  for (const [name, item] of Object.entries(value)) {
    if (Object.hasOwn(properties, name))
      found.push(...misfits(properties[name], item, below(name), depth + 1))
    else if (additionalProperties === false)
      found.push(`${below(name)} is not declared; declared are ${names.join(', ') || 'none'}`)
  }
  return found
}

/** The types that a schema allows, also where it writes them as `anyOf` (as FastMCP does for optional arguments). */
function typesOf(schema: Record<string, unknown>): string[] {
  const { type, anyOf } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string')
  if (!Array.isArray(anyOf)) return []
  const each = anyOf.map((one) => (isRecord(one) ? typesOf(one) : []))
  return each.some((types) => types.length === 0) ? [] : each.flat()
}

function isOfType(value: Json, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === type
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    default:
      return true
  }
}

const kindOf = (value: Json) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
const isObject = (value: Json): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
