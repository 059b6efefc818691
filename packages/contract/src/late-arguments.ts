import type { Json, JsonObject } from './json-value.ts'
import { copyJson, formatJsonPath } from './map-json.ts'
import { isScalar, kindOfValue, plainText } from './plain-text.ts'
import { RunError } from './run-error.ts'
import type { LateArgument, LatePart } from './table-spec.ts'
import { applyFilter } from './template-filters.ts'

/** Filling `{{page.*}}`, `{{job.id}}` and `{{secret.*}}` when a page is asked for (SPEC section 5). */

/** What a placeholder stands for now: null when there is none yet, undefined when there never is one here. */
export type LateValues = (name: string) => Json | undefined

/**
 * The arguments of one call; `args` and what is in it are never changed.
 *
 * A string that is one placeholder takes the type of its value, and when that is null (`page.cursor` on the first page)
 * the argument is left out. Inside a longer string null is empty. Of the filters only `default` sees a null.
 * @throws {RunError} `PLACEHOLDER_UNRESOLVED` for a name without a value here, `ARGUMENT_INVALID` for a value that does
 * not suit its place or filter, `PAYLOAD_INVALID` when `late` does not belong to `args`.
 */
export function fillLateArguments(
  args: JsonObject,
  late: readonly LateArgument[],
  values: LateValues,
): JsonObject {
  const filled = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, copyJson(value)]))
  const leftOut: { parent: Json[] | JsonObject; key: string | number }[] = []
  for (const argument of late) {
    const { parent, key } = placeOf(filled, argument.at)
    const value = filledArgument(argument, values)
    if (value === null) leftOut.push({ parent, key })
    else put(parent, key, value)
  }
  // Later elements first: taking one out moves those behind it.
  const order = (key: string | number) => (typeof key === 'number' ? key : -1)
  leftOut.sort((a, b) => order(b.key) - order(a.key))
  for (const { parent, key } of leftOut) {
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
  }
  return filled
}

function placeOf(root: JsonObject, at: LateArgument['at']) {
  let parent: Json = root
  for (const [depth, key] of at.entries()) {
    // An own key of the right kind: a hostile path must not reach a prototype.
    if (
      isScalar(parent) ||
      Array.isArray(parent) !== (typeof key === 'number') ||
      !Object.hasOwn(parent, key)
    )
      break
    if (depth === at.length - 1) return { parent, key }
    parent = get(parent, key)
  }
  throw new RunError(
    'PAYLOAD_INVALID',
    `the arguments have no place ${formatJsonPath('', at)} for a late value`,
  )
}

function filledArgument({ at, parts }: LateArgument, values: LateValues): Json {
  const place = formatJsonPath('', at)
  const [first] = parts
  if (parts.length === 1 && typeof first === 'object') return filledPart(first, place, values)
  return parts
    .map((part) => {
      if (typeof part === 'string') return part
      const value = filledPart(part, place, values)
      if (isScalar(value)) return plainText(value)
      throw new RunError(
        'ARGUMENT_INVALID',
        `{{ ${part.name} }} in ${place} is ${kindOfValue(value)} inside a longer text`,
        {
          path: place,
          hint: 'add a filter: | join(",") or | json',
        },
      )
    })
    .join('')
}

function filledPart({ name, filters }: Exclude<LatePart, string>, place: string, values: LateValues): Json {
  const known = values(name)
  const hasDefault = filters.some((filter) => filter.name === 'default')
  if (known === undefined && !hasDefault) {
    throw new RunError('PLACEHOLDER_UNRESOLVED', `{{ ${name} }} in ${place} has no value here`, {
      path: place,
      hint: 'page.* needs a pagination mode that has this value, job.id a pagination.job, secret.* a secret of that name',
    })
  }
  return filters.reduce<Json>(
    (value, filter) => (value === null && filter.name !== 'default' ? null : applyFilter(filter, value)),
    known ?? null,
  )
}

function get(parent: Json[] | JsonObject, key: string | number): Json {
  return (Array.isArray(parent) ? parent[Number(key)] : parent[key]) ?? null
}

function put(parent: Json[] | JsonObject, key: string | number, value: Json): void {
  if (Array.isArray(parent)) parent[Number(key)] = value
  else parent[key] = value
}
