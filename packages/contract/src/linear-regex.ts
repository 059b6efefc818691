import { RE2JS, RE2JSException } from 're2js'
import { RunError } from './run-error.ts'

/** A regular expression whose matching takes time linear in the text, whatever the pattern (SPEC section 16.7). */
export interface LinearRegex {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean
  /** The first match: the whole and its groups in order, '' for a group that took no part; null without a match. */
  match(text: string): string[] | null
  /** The first match's place, `[start, end)`; null without a match. */
  find(text: string): readonly [start: number, end: number] | null
}

/**
 * Compiles a pattern in RE2 syntax (no back-references); `(?i)` ignores case, `(?m)` lets `^` and `$` match at lines.
 * Throws BINDING_INVALID when the pattern is not valid.
 */
export function compileRegex(pattern: string): LinearRegex {
  const compiled = compile(pattern)
  return {
    test: (text) => compiled.matcher(text).find(),
    match: (text) => {
      const matcher = compiled.matcher(text)
      if (!matcher.find()) return null
      return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '')
    },
    find: (text) => {
      const matcher = compiled.matcher(text)
      return matcher.find() ? [matcher.start(), matcher.end()] : null
    },
  }
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new RunError(
      'BINDING_INVALID',
      `not a valid regular expression: ${pattern} (${error.message})`,
      { hint: 'write it in RE2 syntax: https://github.com/google/re2/wiki/Syntax (no back-references)' },
      error,
    )
  }
}
