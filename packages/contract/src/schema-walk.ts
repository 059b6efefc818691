import type { z } from 'zod'
import type { Json } from './json-value.ts'
import { secretSchema } from './secret.ts'
import type { DocumentPath } from './yaml-file.ts'

/** What a schema says about a place inside a value, for messages about that value. */
export interface SchemaPlace {
  /** The keys that the schema knows there; none for a map with free keys. */
  keys: string[]
  /** Whether what stands there is, or is part of, a secret: a message must not repeat it. */
  secret: boolean
}

/** Follows a path down a schema; `value` decides between the branches of unions. */
export function schemaAt(schema: z.ZodType, path: DocumentPath, value: Json): SchemaPlace {
  let current: unknown = schema
  let here: unknown = value
  let secret = maybeSecret(current)
  for (const part of path) {
    current = childOf(unwrapped(current, here), part)
    here = entryAt(here, part)
    secret ||= maybeSecret(current)
  }
  const shape = field(unwrapped(current, here), 'shape')
  return { keys: shape !== null && typeof shape === 'object' ? Object.keys(shape) : [], secret }
}

/** A property of a schema. */
function field(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? Reflect.get(value, name) : undefined
}

/** What stands at a key that the file names. */
export function entryAt(value: unknown, key: string | number): unknown {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined
}

function childOf(schema: unknown, part: string | number): unknown {
  const def = field(schema, 'def')
  return entryAt(field(schema, 'shape'), part) ?? field(def, 'valueType') ?? field(def, 'element')
}

/** The schema inside an optional, default or pipe, or the branches of a union. */
function inside(schema: unknown): { inner?: unknown; options?: unknown[] } {
  const def = field(schema, 'def')
  const options = field(def, 'options')
  return Array.isArray(options)
    ? { options }
    : {
        inner:
          field(def, 'innerType') ?? (isTransform(field(def, 'in')) ? field(def, 'out') : field(def, 'in')),
      }
}

/** `preprocess` pipes a transform into the schema proper. */
const isTransform = (schema: unknown) => field(field(schema, 'def'), 'type') === 'transform'

/** Looks through wrappers to the object schema that fits the value. */
function unwrapped(schema: unknown, value: unknown): unknown {
  const { inner, options } = inside(schema)
  if (inner !== undefined) return unwrapped(inner, value)
  if (options === undefined) return schema
  const type = entryAt(value, 'type')
  const fits = (option: unknown) => {
    const values = field(field(field(field(option, 'shape'), 'type'), 'def'), 'values')
    return Array.isArray(values) && values.includes(type)
  }
  const wanted = Array.isArray(value) ? 'array' : 'object'
  const kind = (option: unknown) => field(field(unwrapped(option, value), 'def'), 'type')
  return unwrapped(options.find(fits) ?? options.find((option) => kind(option) === wanted), value)
}

function maybeSecret(schema: unknown): boolean {
  if (schema === secretSchema) return true
  const { inner, options } = inside(schema)
  return inner !== undefined ? maybeSecret(inner) : (options?.some(maybeSecret) ?? false)
}
