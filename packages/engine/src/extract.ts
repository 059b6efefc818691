import { type AnswerSpec, compileRegex, RunError } from '@huntfleet/contract'

/** A text cut to the part that holds the rows. */
export interface Extracted {
  inside: string
  /** What was cut away. */
  outside: string
}

/**
 * Applies `extract.after` and `extract.between` of a binding, and, for formats other than JSON (which finds its own),
 * `extract: fenced`. `undefined`: the marks do not stand in this text.
 */
export function extractText(text: string, answer: AnswerSpec): Extracted | undefined {
  if (answer.extractAfter !== null) {
    const place = compileRegex(answer.extractAfter).find(text)
    return place === null ? undefined : { inside: text.slice(place[1]), outside: text.slice(0, place[1]) }
  }
  if (answer.extractBetween !== null) return between(text, ...answer.extractBetween)
  if (answer.extract === 'fenced' && answer.format !== 'json') return fenced(text)
  return { inside: text, outside: '' }
}

/** Throws PARSE_FAILED when the text stops before the closing mark: the answer was cut off. */
function between(text: string, open: string, close: string): Extracted | undefined {
  const start = text.indexOf(open)
  if (start < 0) return undefined
  const from = start + open.length
  const end = text.indexOf(close, from)
  if (end < 0) {
    throw new RunError(
      'PARSE_FAILED',
      `extract.between: ${open} is there and ${close} is not; the answer was cut off`,
      {
        hint: 'ask for fewer rows per page (page_size), or correct the closing mark',
      },
    )
  }
  // The line ends beside the marks belong to the marks.
  const inside = text
    .slice(from, end)
    .replace(/^\r?\n/, '')
    .replace(/\r?\n$/, '')
  return { inside, outside: `${text.slice(0, from)}\n${text.slice(end)}` }
}

function fenced(text: string): Extracted | undefined {
  const opening = /^[ \t]*(`{3,})[^`\n]*\n/m.exec(text)
  if (opening === null) return undefined
  const from = opening.index + opening[0].length
  const closing = /^[ \t]*`{3,}[ \t]*\r?$/gm
  closing.lastIndex = from
  const end = closing.exec(text)
  if (end === null) {
    throw new RunError(
      'PARSE_FAILED',
      'extract: fenced: the code fence is not closed; the answer was cut off',
      {
        hint: 'ask for fewer rows per page (page_size)',
      },
    )
  }
  return { inside: text.slice(from, end.index), outside: `${text.slice(0, from)}\n${text.slice(end.index)}` }
}
