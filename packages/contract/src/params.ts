import { type CoercedParam, coerceParam, paramOrder } from './coerce-param.ts'
import { didYouMean, unknownName } from './did-you-mean.ts'
import type { Json, JsonObject } from './json-value.ts'
import { mapJson } from './map-json.ts'
import { type ParamSpec, paramForms } from './param-spec.ts'
import { kindOfValue } from './plain-text.ts'
import type { ErrorIssue } from './run-error.ts'
import { looksLikeTemplate, parseTemplate } from './template.ts'

/** Values of parameters against their declaration (SPEC section 3). */

export interface CheckedParams {
  /** In the order of the contract; parameters without value and default are absent. */
  values: JsonObject
  /** All findings; a run starts only without any. */
  issues: ErrorIssue[]
}

/**
 * Checks the values given to a strategy, coerces them and fills in defaults.
 *
 * A value with placeholders can be judged only when they are filled: here its placeholders are checked for their form,
 * and `interpolate` coerces and checks what comes out. Null counts as not given.
 * @param scheduledAt what relative times are relative to
 * @param literal names whose given values hold no placeholders, whatever they look like: those of agents, HTTP and dashboard
 */
export function checkParams(
  specs: readonly ParamSpec[],
  given: JsonObject,
  scheduledAt: Date,
  literal: ReadonlySet<string> = new Set(),
): CheckedParams {
  const issues = undeclared(specs, given)
  const values: [string, Json][] = []
  for (const spec of specs) {
    const own = Object.hasOwn(given, spec.name) ? (given[spec.name] ?? null) : null
    const value = own ?? spec.default ?? null
    if (value === null) {
      if (spec.required) issues.push(issueOf(spec.name, missing(spec)))
      continue
    }
    const isLiteral = own !== null && literal.has(spec.name)
    const checked = isLiteral
      ? checkParam(spec, value, scheduledAt)
      : checkTemplates(spec, value, scheduledAt)
    if (checked.ok) values.push([spec.name, checked.value])
    else issues.push(issueOf(spec.name, `parameter ${JSON.stringify(spec.name)}: ${checked.reason}`))
  }
  return { values: Object.fromEntries(values), issues }
}

/** Checks and coerces one value that has no placeholders, or none any more; the reason starts with the wrong value. */
export function checkParam(spec: ParamSpec, value: Json, scheduledAt: Date): CoercedParam {
  const coerced = coerceParam(spec.type, value, scheduledAt)
  const reason = coerced.ok
    ? (outsideEnum(spec, coerced.value, scheduledAt) ?? outsideBounds(spec, coerced.value, scheduledAt))
    : coerced.reason
  return reason === undefined ? coerced : { ok: false, reason: `${shown(value)} ${reason}` }
}

/**
 * What is wrong with the declarations themselves: defaults, enum values and bounds that are not of the type, bounds of
 * types without an order. For `validate`, before any value is given.
 */
export function checkParamSpecs(specs: readonly ParamSpec[], scheduledAt: Date): ErrorIssue[] {
  return specs.flatMap((spec) =>
    wrongWithSpec(spec, scheduledAt).map((wrong) => ({
      code: 'CONTRACT_INVALID' as const,
      message: `parameter ${JSON.stringify(spec.name)}: ${wrong}`,
      path: `params.${spec.name}`,
    })),
  )
}

function wrongWithSpec(spec: ParamSpec, scheduledAt: Date): string[] {
  const wrong: string[] = []
  for (const key of ['min', 'max'] as const) {
    const bound = spec[key]
    if (bound === undefined) continue
    const coerced = coerceParam(spec.type, bound, scheduledAt)
    if (!coerced.ok) wrong.push(`${key} ${shown(bound)} ${coerced.reason}`)
    else if (paramOrder(spec.type, coerced.value) === undefined) wrong.push(`type ${spec.type} has no ${key}`)
  }
  // The elements of a list have no type of their own.
  for (const option of spec.type === 'list' ? [] : (spec.enum ?? [])) {
    const coerced = coerceParam(spec.type, option, scheduledAt)
    if (!coerced.ok) wrong.push(`enum value ${shown(option)} ${coerced.reason}`)
  }
  const fallback = spec.default ?? null
  if (fallback === null || wrong.length > 0) return wrong
  const checked = checkTemplates(spec, fallback, scheduledAt)
  return checked.ok ? [] : [`default ${checked.reason}`]
}

function issueOf(name: string, message: string): ErrorIssue {
  return { code: 'PARAM_INVALID', message, path: `params.${name}` }
}

function undeclared(specs: readonly ParamSpec[], given: JsonObject): ErrorIssue[] {
  const known = new Set(specs.map((spec) => spec.name))
  return Object.keys(given)
    .filter((name) => !known.has(name))
    .map((name) => issueOf(name, unknownName('parameter', name, [...known])))
}

function missing(spec: ParamSpec): string {
  const description = spec.description === '' ? '' : `, ${spec.description}`
  return `parameter ${JSON.stringify(spec.name)} (${spec.type}${description}) is required and has no value; give it with --param ${spec.name}=… (${paramForms[spec.type]})`
}

/** Checks a value as far as its placeholders allow. */
function checkTemplates(spec: ParamSpec, value: Json, scheduledAt: Date): CoercedParam {
  let waits = false
  let wrong: string | undefined
  mapJson(value, {
    leaf: (leaf) => {
      if (typeof leaf !== 'string' || !looksLikeTemplate(leaf)) return null
      waits = true
      const parsed = parseTemplate(leaf)
      if (!parsed.ok) wrong ??= parsed.message
      return null
    },
  })
  if (wrong !== undefined) return { ok: false, reason: wrong }
  if (!waits) return checkParam(spec, value, scheduledAt)
  // The text of an array is taken apart before its placeholders are filled: no value can add elements to it.
  const textOfList = spec.type === 'list' && typeof value === 'string' && value.trimStart().startsWith('[')
  return textOfList ? coerceParam('list', value, scheduledAt) : { ok: true, value }
}

/** For a list, every element must be one of the enum. */
function outsideEnum(spec: ParamSpec, value: Json, scheduledAt: Date): string | undefined {
  if (spec.enum === undefined) return undefined
  const options = spec.enum.map((option) => {
    const coerced = spec.type === 'list' ? undefined : coerceParam(spec.type, option, scheduledAt)
    return JSON.stringify(coerced?.ok === true ? coerced.value : option)
  })
  const candidates = spec.type === 'list' && Array.isArray(value) ? value : [value]
  const stranger = candidates.find((candidate) => !options.includes(JSON.stringify(candidate)))
  if (stranger === undefined) return undefined
  const near = typeof stranger === 'string' ? didYouMean(stranger, spec.enum.filter(isText)) : undefined
  const question = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`
  const subject = candidates === value ? `has ${shown(stranger)}, which ` : ''
  return `${subject}is not one of ${options.join(', ')}${question}`
}

function outsideBounds(spec: ParamSpec, value: Json, scheduledAt: Date): string | undefined {
  const order = paramOrder(spec.type, value)
  if (order === undefined) return undefined
  const bound = (limit: Json | undefined) => {
    const coerced = limit === undefined ? undefined : coerceParam(spec.type, limit, scheduledAt)
    return coerced?.ok === true ? paramOrder(spec.type, coerced.value) : undefined
  }
  const [min, max] = [bound(spec.min), bound(spec.max)]
  if (min !== undefined && order < min) return `is below the minimum ${shown(spec.min ?? null)}`
  if (max !== undefined && order > max) return `is above the maximum ${shown(spec.max ?? null)}`
  return undefined
}

function isText(value: Json): value is string {
  return typeof value === 'string'
}

/** A value as JSON, cut when it is too long to read. */
function shown(value: Json): string {
  if (typeof value === 'object' && value !== null) return kindOfValue(value)
  const text = JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
