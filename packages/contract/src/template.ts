import { type Placeholder, parsePlaceholder } from './placeholder.ts'

/** Strings with placeholders, taken apart (SPEC section 5). */

/** Literal text or a placeholder. Neighbouring texts are one part, and there are no empty ones. */
export type TemplatePart = string | Placeholder

export type ParsedTemplate = { ok: true; parts: TemplatePart[] } | { ok: false; message: string }

/** Runs of opening braces, or the four closing ones that may end a literal. */
const braces = /\{\{+|\}\}\}\}/g

/**
 * Takes a text apart.
 *
 * - `{{{{` writes a literal `{{`, and the `}}}}` that closes it a literal `}}`. A `}}}}` that closes nothing stays as it
 *   is: JSON inside a string often ends like that, and losing two of its braces would break it without a word.
 * - A single brace and a lone `}}` are plain text. Of three opening braces the first is text: `{{{ x }}}` is the value
 *   of `x` in braces.
 * - A `{{` that no `}}` closes, and anything else than a placeholder between them, is an error and not text: such a
 *   text would otherwise reach a production system with its placeholder unfilled.
 */
export function parseTemplate(text: string): ParsedTemplate {
  const parts: TemplatePart[] = []
  let literal = ''
  let from = 0
  let openLiterals = 0
  const flush = () => {
    if (literal !== '') parts.push(literal)
    literal = ''
  }
  braces.lastIndex = 0
  for (let match = braces.exec(text); match !== null; match = braces.exec(text)) {
    const [run] = match
    literal += text.slice(from, match.index)
    from = match.index + run.length
    if (run.startsWith('}')) {
      literal += openLiterals > 0 ? '}}' : run
      openLiterals = Math.max(0, openLiterals - 1)
      continue
    }
    const doubled = Math.floor(run.length / 4)
    const left = run.length % 4
    openLiterals += doubled
    literal += '{{'.repeat(doubled) + (left % 2 === 1 ? '{' : '')
    if (left < 2) continue
    const parsed = parsePlaceholder(text, from - 2)
    if (!parsed.ok) return parsed
    flush()
    parts.push(parsed.placeholder)
    from = parsed.end
    braces.lastIndex = from
  }
  literal += text.slice(from)
  flush()
  return { ok: true, parts }
}

/** Whether a text may hold placeholders or literal braces; any other text is its own value. */
export function looksLikeTemplate(text: string): boolean {
  return text.includes('{{')
}
