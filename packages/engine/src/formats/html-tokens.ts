/** A piece of an HTML text, `[start, end)`. */
export interface HtmlToken {
  /** `cut`: a tag or comment begins here and does not end; it reaches to the end of the text. */
  kind: 'text' | 'open' | 'close' | 'comment' | 'cut'
  /** Lower-case name of a tag; empty for the others. */
  name: string
  /** Of an opening tag, by lower-case name; values are as written. */
  attributes: ReadonlyMap<string, string>
  start: number
  end: number
}

const noAttributes: ReadonlyMap<string, string> = new Map()
const tagName = /[^\s/>]*/y
const betweenAttributes = /[\s/]*/y
const attributeName = /[^\s/>][^\s/>=]*/y
const equalsSign = /\s*=\s*/y
const bareValue = /[^\s>]*/y

/**
 * Cuts an HTML text into tags, comments and text by the rules of the standard's tokenizer
 * (https://html.spec.whatwg.org/multipage/parsing.html#tokenization) as far as tables need them. Linear: every
 * character is looked at once, and the first tag without an end takes the rest.
 */
export function* htmlTokens(text: string): Generator<HtmlToken, void, undefined> {
  let at = 0
  while (at < text.length) {
    const start = tagStart(text, at)
    if (start > at) yield token('text', at, start)
    if (start === text.length) return
    const next = text.charAt(start + 1) === '!' ? readComment(text, start) : readTag(text, start)
    yield next
    at = next.end
  }
}

/** Offset of the next `<` that begins a tag or a comment; the end of the text when there is none. */
function tagStart(text: string, from: number): number {
  for (let at = text.indexOf('<', from); at >= 0; at = text.indexOf('<', at + 1)) {
    const mark = text.charAt(at + 1)
    if (mark === '!' || isLetter(mark === '/' ? text.charCodeAt(at + 2) : text.charCodeAt(at + 1))) return at
  }
  return text.length
}

function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

function token(kind: HtmlToken['kind'], start: number, end: number): HtmlToken {
  return { kind, name: '', attributes: noAttributes, start, end }
}

function tag(
  closes: boolean,
  name: string,
  attributes: HtmlToken['attributes'],
  start: number,
  end: number,
): HtmlToken {
  return { kind: closes ? 'close' : 'open', name, attributes, start, end }
}

function readComment(text: string, start: number): HtmlToken {
  const mark = text.startsWith('<!--', start) ? '-->' : '>'
  const end = text.indexOf(mark, start + 2)
  return end < 0 ? token('cut', start, text.length) : token('comment', start, end + mark.length)
}

function readTag(text: string, start: number): HtmlToken {
  const closes = text.charAt(start + 1) === '/'
  const nameStart = start + (closes ? 2 : 1)
  let at = match(tagName, text, nameStart)
  const name = text.slice(nameStart, at).toLowerCase()
  if (text.charAt(at) === '>') return tag(closes, name, noAttributes, start, at + 1)
  const attributes = new Map<string, string>()
  for (;;) {
    at = match(betweenAttributes, text, at)
    if (at >= text.length) return token('cut', start, text.length)
    if (text.charAt(at) === '>')
      return { kind: closes ? 'close' : 'open', name, attributes, start, end: at + 1 }
    at = readAttribute(text, at, attributes)
  }
}

/** Reads one attribute and returns the offset behind it; a value without its closing quote reaches to the end. */
function readAttribute(text: string, start: number, attributes: Map<string, string>): number {
  const nameEnd = match(attributeName, text, start)
  const name = text.slice(start, nameEnd).toLowerCase()
  const valueStart = match(equalsSign, text, nameEnd)
  if (valueStart === nameEnd) {
    attributes.set(name, '')
    return nameEnd
  }
  const mark = text.charAt(valueStart)
  if (mark !== '"' && mark !== "'") {
    const end = match(bareValue, text, valueStart)
    attributes.set(name, text.slice(valueStart, end))
    return end
  }
  const end = text.indexOf(mark, valueStart + 1)
  attributes.set(name, text.slice(valueStart + 1, end < 0 ? undefined : end))
  return end < 0 ? text.length : end + 1
}

/** Offset behind what a sticky pattern matches at `at`; `at` itself when it matches nothing. */
function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
