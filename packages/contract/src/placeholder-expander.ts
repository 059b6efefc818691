import { unknownName } from './did-you-mean.ts'
import type { ErrorCode } from './error-codes.ts'
import type { Json } from './json-value.ts'
import { isLateName, lateNames } from './late-names.ts'
import { copyJson, type JsonPath, mapJson } from './map-json.ts'
import type { ParamSpec } from './param-spec.ts'
import { checkParam } from './params.ts'
import type { Placeholder } from './placeholder.ts'
import { isScalar, kindOfValue, plainText, type Scalar } from './plain-text.ts'
import { RunError } from './run-error.ts'
import type { Scope } from './scope.ts'
import type { LateArgument, LatePart } from './table-spec.ts'
import { looksLikeTemplate, parseTemplate, type TemplatePart } from './template.ts'
import { applyFilter, checkFilter } from './template-filters.ts'

/** A value whose placeholders are filled, as far as they can be before a run. */
export interface Expanded {
  value: Json
  /** Places inside `value` that wait for the worker. */
  late: LateArgument[]
  /** What it weighs in memory, see `largest`. */
  size: number
  /** Levels of parameters below: 0 without any. */
  levels: number
}

export interface ExpansionProblem {
  code: ErrorCode
  message: string
  /** The parameter in whose value it is; absent: in the value that was to be expanded. */
  param?: string
}

/** Called for every problem, with the place of the string that has it. */
export type ReportProblem = (problem: ExpansionProblem, path: () => JsonPath) => void

/** A string in work: the parameters on the way to it, and who hears of its problems. */
interface Context {
  chain: readonly string[]
  complain: (problem: ExpansionProblem) => void
}

/** SPEC section 5. */
const deepestLevel = 10

/**
 * Ten levels of a few repeated placeholders each would outgrow any memory; real arguments stay far below. A character
 * weighs 1, a list or map about as much as its empty object takes, so that the limit bounds real memory.
 */
const largest = 16 * 1024 * 1024
const scalarWeight = 8
const containerWeight = 64

/** Fills placeholders from a scope. The value of each parameter is expanded once, however often it is named. */
export class PlaceholderExpander {
  readonly #scope: Scope
  readonly #builtins: ReadonlyMap<string, string>
  readonly #specs: ReadonlyMap<string, ParamSpec>
  readonly #done = new Map<string, { expanded: Expanded | undefined; problems: ExpansionProblem[] }>()

  constructor(scope: Scope) {
    this.#scope = scope
    this.#builtins = new Map(Object.entries(scope.builtins))
    this.#specs = new Map((scope.specs ?? []).map((spec) => [spec.name, spec]))
  }

  /** A copy of the value with its placeholders filled; `chain` names the parameters on the way to it. */
  expand(tree: Json, report: ReportProblem, chain: readonly string[] = [], literal = false): Expanded {
    const whole: Expanded = { value: null, late: [], size: 0, levels: 0 }
    let outgrownAt: JsonPath = []
    const add = (part: Expanded, path: () => JsonPath) => {
      whole.size += part.size
      whole.levels = Math.max(whole.levels, part.levels)
      for (const late of part.late) whole.late.push({ at: [...path(), ...late.at], parts: late.parts })
      if (whole.size > largest) outgrownAt = path()
    }
    whole.value = mapJson(tree, {
      container: () => {
        whole.size += containerWeight
      },
      leaf: (leaf, path) => {
        if (whole.size > largest) return null
        const template = typeof leaf === 'string' && !literal && looksLikeTemplate(leaf)
        const context = { chain, complain: (problem: ExpansionProblem) => report(problem, path) }
        const part = template ? this.#text(leaf, context) : known(leaf)
        if (part === undefined) return null
        add(part, path)
        return part.value
      },
    })
    if (whole.size > largest) report(tooLarge, () => outgrownAt)
    return whole
  }

  #text(text: string, context: Context): Expanded | undefined {
    const parsed = parseTemplate(text)
    if (!parsed.ok) {
      context.complain({ code: 'BINDING_INVALID', message: parsed.message })
      return undefined
    }
    const [first] = parsed.parts
    const sole = parsed.parts.length === 1 && typeof first === 'object'
    return sole ? this.#placeholder(first, context) : this.#longerText(parsed.parts, context)
  }

  #longerText(templateParts: readonly TemplatePart[], context: Context): Expanded {
    const parts: LatePart[] = []
    let size = scalarWeight
    let levels = 0
    for (const part of templateParts) {
      const expanded = typeof part === 'string' ? known(part) : this.#placeholder(part, context)
      if (expanded === undefined) continue
      size += expanded.size
      levels = Math.max(levels, expanded.levels)
      if (size > largest) break
      const source = typeof part === 'string' ? '' : part.source
      for (const piece of textParts(expanded, source, context)) appendPart(parts, piece)
    }
    const [only = ''] = parts
    const isText = parts.length <= 1 && typeof only === 'string'
    return { value: isText ? only : null, late: isText ? [] : [{ at: [], parts }], size, levels }
  }

  #placeholder(placeholder: Placeholder, context: Context): Expanded | undefined {
    const { filters, source } = placeholder
    const wrong = filters.map(checkFilter).filter((message) => message !== undefined)
    for (const message of wrong)
      context.complain({ code: 'BINDING_INVALID', message: `${source}: ${message}` })
    const found = this.#lookUp(placeholder, context)
    if (found === undefined || wrong.length > 0) return undefined
    return filters.length === 0 ? found : filtered(found, placeholder, context)
  }

  #lookUp({ name, filters, source }: Placeholder, context: Context): Expanded | undefined {
    const builtin = this.#builtins.get(name)
    if (builtin !== undefined) return known(builtin)
    if (isLateName(name)) return { ...known(null), late: [{ at: [], parts: [{ name, filters: [] }] }] }
    if (Object.hasOwn(this.#scope.params, name)) return this.#parameter(name, context)
    if (filters[0]?.name === 'default') return known(null)
    const message = `${source} has no value: ${this.#whyUnresolved(name)}`
    context.complain({ code: 'PLACEHOLDER_UNRESOLVED', message })
    return undefined
  }

  #parameter(name: string, { chain, complain }: Context): Expanded | undefined {
    const unresolved = (why: string) => complain({ code: 'PLACEHOLDER_UNRESOLVED', message: why })
    if (chain.includes(name)) {
      const cycle = [...chain.slice(chain.indexOf(name)), name].join(' → ')
      unresolved(`the values of parameters go round in a circle: ${cycle}`)
      return undefined
    }
    const done =
      chain.length < deepestLevel ? (this.#done.get(name) ?? this.#expandParameter(name, chain)) : undefined
    if (done === undefined || chain.length + (done.expanded?.levels ?? 0) > deepestLevel) {
      unresolved(`placeholders nest more than ${deepestLevel} levels: ${[...chain, name].join(' → ')}`)
      return undefined
    }
    for (const problem of done.problems) complain(problem)
    return done.expanded && { ...done.expanded, value: copyJson(done.expanded.value) }
  }

  #expandParameter(name: string, chain: readonly string[]) {
    // Each problem once: a parameter that is named fifty times on each of ten levels would report it 50^10 times.
    const problems = new Map<string, ExpansionProblem>()
    const add = (problem: ExpansionProblem) => {
      const told = { param: name, ...problem }
      problems.set(JSON.stringify([told.param, told.message]), told)
    }
    const literal = this.#scope.literal.has(name)
    const tree = this.expand(this.#scope.params[name] ?? null, add, [...chain, name], literal)
    tree.levels += 1
    const reason = problems.size === 0 ? this.#check(name, tree) : undefined
    if (reason !== undefined) add({ code: 'PARAM_INVALID', message: reason })
    const result = { expanded: problems.size === 0 ? tree : undefined, problems: [...problems.values()] }
    this.#done.set(name, result)
    return result
  }

  /**
   * Coerces a value in place now that its placeholders are filled; returns what is wrong with it. Values with late
   * placeholders stay as they are: when those are filled, it is too late to refuse the run.
   */
  #check(name: string, tree: Expanded): string | undefined {
    const spec = this.#specs.get(name)
    if (spec === undefined || tree.late.length > 0) return undefined
    const checked = checkParam(spec, tree.value, new Date(this.#scope.builtins['run.scheduled_at']))
    if (!checked.ok) return checked.reason
    tree.value = checked.value
    return undefined
  }

  #whyUnresolved(name: string): string {
    if (this.#specs.has(name)) {
      return `the parameter is optional and not given; give it with --param ${name}=… or write {{ ${name} | default("…") }}`
    }
    if (name === 'window.start' || name === 'window.end')
      return 'the run has no window; give one with --from and --to'
    const names = new Set([...this.#specs.keys(), ...Object.keys(this.#scope.params)])
    return unknownName('placeholder', name, [...names, ...this.#builtins.keys(), ...lateNames, 'secret.NAME'])
  }
}

const tooLarge: ExpansionProblem = {
  code: 'PLACEHOLDER_UNRESOLVED',
  message: `the placeholders grow beyond ${largest} characters`,
}

function weightOf(value: Scalar): number {
  return scalarWeight + (typeof value === 'string' ? value.length : 0)
}

function known(value: Scalar): Expanded {
  return { value, late: [], size: weightOf(value), levels: 0 }
}

function filtered(
  found: Expanded,
  { filters, source }: Placeholder,
  { complain }: Context,
): Expanded | undefined {
  const [late] = found.late
  if (late === undefined) {
    try {
      const value = filters.reduce<Json>((result, filter) => applyFilter(filter, result), found.value)
      return { ...found, value, size: isScalar(value) ? weightOf(value) : found.size }
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown
      const hint = thrown.context.hint === undefined ? '' : `; ${thrown.context.hint}`
      complain({ code: thrown.code, message: `${source}: ${thrown.message}${hint}` })
      return undefined
    }
  }
  const [part] = late.parts
  if (late.at.length === 0 && late.parts.length === 1 && typeof part === 'object') {
    const parts = [{ name: part.name, filters: [...part.filters, ...filters] }]
    return { ...found, late: [{ at: [], parts }] }
  }
  const waiting = late.parts.find((piece) => typeof piece === 'object')
  const why = `its value holds {{ ${waiting?.name} }}, which is known only when a page is asked for`
  complain({
    code: 'BINDING_INVALID',
    message: `${source}: ${why}; put the filter on that placeholder instead`,
  })
  return undefined
}

/** A filled placeholder as pieces of the text around it. */
function textParts(expanded: Expanded, source: string, { complain }: Context): readonly LatePart[] {
  const [late] = expanded.late
  if (late?.at.length === 0) return late.parts
  if (isScalar(expanded.value)) return [plainText(expanded.value)]
  const what = `is ${kindOfValue(expanded.value)}, which has no plain text inside a longer string`
  const message = `${source} ${what}; add a filter: | join(",") or | json or | sql`
  complain({ code: 'BINDING_INVALID', message })
  return []
}

function appendPart(parts: LatePart[], part: LatePart): void {
  const last = parts.at(-1)
  if (part === '') return
  if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part
  else parts.push(part)
}
