import type { z } from 'zod'
import type { Json } from './json-value.ts'
import type { lateFilterSchema } from './table-spec.ts'

/** The inside of `{{ … }}`: a name and its filters. */

/** One `| name(arguments)` of a placeholder. */
export type TemplateFilter = z.infer<typeof lateFilterSchema>

/** `{{ name | filter | … }}` */
export interface Placeholder {
  name: string
  filters: TemplateFilter[]
  /** As it stands in the text, braces included, for messages. */
  source: string
}

export type ParsedPlaceholder =
  | { ok: true; placeholder: Placeholder /** Where the text goes on. */; end: number }
  | { ok: false; message: string }

const forms =
  'a placeholder is {{ name }} or {{ name | filter("argument") | … }} with string or number arguments, and {{{{ writes literal braces'

const nameToken = /[\p{L}\p{N}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+)*/uy
const filterToken = /[A-Za-z_]\w*/y
const numberToken = /-?\d{1,15}(?:\.\d{1,15})?/y
const stringToken = /"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'/sy
const blanks = /\s*/y

/** What follows a backslash in a string argument. */
const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['\\', '\\'],
  ['"', '"'],
  ["'", "'"],
])

/** What was expected where the text went wrong. */
class Unexpected {
  readonly expected: string
  readonly at: number
  constructor(expected: string, at: number) {
    this.expected = expected
    this.at = at
  }
}

/** Reads the placeholder whose `{{` stands at `start`. */
export function parsePlaceholder(text: string, start: number): ParsedPlaceholder {
  const scanner = new Scanner(text, start + 2)
  const name = scanner.token(nameToken)
  if (name === undefined) return failed(text, start, new Unexpected('a name', scanner.at))
  const filters: TemplateFilter[] = []
  while (scanner.symbol('|')) {
    const filter = readFilter(scanner)
    if (filter instanceof Unexpected) return failed(text, start, filter)
    filters.push(filter)
  }
  if (!scanner.symbol('}}')) {
    return failed(text, start, new Unexpected(filters.length === 0 ? '| or }}' : '(, | or }}', scanner.at))
  }
  return { ok: true, placeholder: { name, filters, source: text.slice(start, scanner.at) }, end: scanner.at }
}

function readFilter(scanner: Scanner): TemplateFilter | Unexpected {
  const name = scanner.token(filterToken)
  if (name === undefined) return new Unexpected('the name of a filter', scanner.at)
  const args: Json[] = []
  if (!scanner.symbol('(') || scanner.symbol(')')) return { name, args }
  do {
    const argument = readArgument(scanner)
    if (argument instanceof Unexpected) return argument
    args.push(argument)
  } while (scanner.symbol(','))
  return scanner.symbol(')') ? { name, args } : new Unexpected(', or )', scanner.at)
}

function readArgument(scanner: Scanner): string | number | Unexpected {
  const number = scanner.token(numberToken)
  if (number !== undefined) return Number(number)
  const string = scanner.token(stringToken)
  if (string === undefined) return new Unexpected('a string in quotes or a number', scanner.at)
  const inner = string.slice(1, -1)
  for (const [pair] of inner.matchAll(/\\./gs)) {
    if (!escapes.has(pair.charAt(1)))
      return new Unexpected('one of \\n \\t \\\\ \\" \\\' as escape', scanner.at)
  }
  return inner.replace(/\\(.)/gs, (_, character: string) => escapes.get(character) ?? character)
}

function failed(text: string, start: number, { expected, at }: Unexpected): ParsedPlaceholder {
  const close = text.indexOf('}}', start)
  const end = close === -1 ? text.length : close + 2
  const shown = text.slice(start, Math.min(end, start + 80))
  const found = at >= text.length ? 'the end of the text' : JSON.stringify(text.charAt(at))
  const wrong = `cannot read ${JSON.stringify(shown)}: expected ${expected} at character ${at + 1}, found ${found}`
  return { ok: false, message: `${wrong}; ${forms}` }
}

/** A position in a text; blanks before a token are passed over. */
class Scanner {
  readonly #text: string
  at: number

  constructor(text: string, at: number) {
    this.#text = text
    this.at = at
  }

  token(pattern: RegExp): string | undefined {
    this.at += this.#match(blanks)?.length ?? 0
    const token = this.#match(pattern)
    this.at += token?.length ?? 0
    return token
  }

  symbol(symbol: string): boolean {
    this.at += this.#match(blanks)?.length ?? 0
    if (!this.#text.startsWith(symbol, this.at)) return false
    this.at += symbol.length
    return true
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    return pattern.exec(this.#text)?.[0]
  }
}
