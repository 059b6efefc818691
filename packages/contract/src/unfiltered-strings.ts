import type { ParamSpec } from './param-spec.ts'
import { parseTemplate } from './template.ts'
import { filterEscapes } from './template-filters.ts'

/**
 * The placeholders in a query text that put a text parameter into it with nothing that quotes it, as they stand there:
 * such a value can change the query. `validate` warns about them. A text that must be one of an enum is the author's own.
 */
export function unfilteredStrings(template: string, specs: readonly ParamSpec[]): string[] {
  const parsed = parseTemplate(template)
  if (!parsed.ok) return []
  const free = new Set(
    specs.filter((spec) => spec.type === 'str' && spec.enum === undefined).map((spec) => spec.name),
  )
  return parsed.parts.flatMap((part) => {
    if (typeof part === 'string' || !free.has(part.name)) return []
    return part.filters.some((filter) => filterEscapes(filter.name)) ? [] : [part.source]
  })
}
