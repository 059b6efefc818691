import type { Json } from './json-value.ts'
import { formatJsonPath } from './map-json.ts'
import { PlaceholderExpander } from './placeholder-expander.ts'
import type { ErrorIssue } from './run-error.ts'
import type { Scope } from './scope.ts'
import type { LateArgument } from './table-spec.ts'

/** Filling placeholders before a run (SPEC section 5). */

export interface Interpolated {
  /** A copy with every placeholder filled; null where a late one stands. */
  value: Json
  /** The strings that a worker fills when it asks for a page. */
  late: LateArgument[]
  /** Findings with their path; `value` is of use only when there are none. */
  issues: ErrorIssue[]
}

/**
 * Fills the placeholders in every string of `value`, at any depth; keys are left alone and the input is never changed.
 *
 * A string that is one placeholder takes the type of its value; inside a longer string scalars are plain text. Values of
 * parameters may hold placeholders, up to 10 levels; they expand fully, then filters apply, and what comes out is never
 * scanned again.
 * @param root what paths in `issues` start with, for example `mcp_args`
 */
export function interpolate(value: Json, scope: Scope, root = ''): Interpolated {
  const issues: ErrorIssue[] = []
  const expanded = new PlaceholderExpander(scope).expand(value, ({ code, message, param }, path) => {
    const where = param === undefined ? '' : `in the value of parameter ${JSON.stringify(param)}: `
    issues.push({ code, message: where + message, path: formatJsonPath(root, path()) })
  })
  return { value: expanded.value, late: expanded.late, issues }
}
