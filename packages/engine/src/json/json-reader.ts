import { type Exact, type ExactArray, ExactNumber, type ExactObject } from './exact.ts'

/** Where a container stands in its text: `[start, end)` in UTF-16 code units. */
export type Span = readonly [start: number, end: number]

export interface ReadOptions {
  /** Accept Python's `NaN`, `Infinity` and `-Infinity`, which become strings of that spelling. */
  lenientNumbers?: boolean
  /** Receives the spans of arrays and objects that lie at most `spanDepth` levels below the value that is read. */
  spans?: Map<ExactArray | ExactObject, Span>
  /** 0, the default, is the outermost container only. */
  spanDepth?: number
  /** Gives an array of at most that depth that need not be parsed, and the place behind it. */
  scanArray?: (position: number) => { value: ExactArray; end: number } | undefined
}

/** How reading ended: with a value and the place behind it, or at a fault. */
export type ReadResult = { ok: true; value: Exact; end: number } | { ok: false; at: number; reason: string }

const quote = 34
const backslash = 92
const slots = 1024

const validEscape = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/

/** Keys longer than this are rarely shared and are not worth comparing. */
const longestSharedKey = 64

/** More of the value is to come. */
const unfinished = Symbol('unfinished')

type Container = { keyed: Map<string, Exact>; list: null } | { keyed: null; list: Exact[] }

/**
 * Reads one JSON value (RFC 8259) that starts at an offset of a text, to its balanced end. It is a loop over an
 * explicit stack, so that a million levels of nesting cost memory, not the process; and it is linear in the text.
 * A fault is a result, not an exception: whoever searches prose for JSON meets many.
 */
export class JsonReader {
  readonly #text: string
  readonly #lenient: boolean
  readonly #spans: Map<ExactArray | ExactObject, Span> | undefined
  readonly #spanDepth: number
  readonly #scanArray: ReadOptions['scanArray']
  /** Keys seen, by a hash of their characters: rows repeat their keys, and one shared string is hashed once. */
  readonly #keys: (string | undefined)[] = new Array(slots)
  /** The containers that are open, outermost first, where they start, and the keys of their open members. */
  #parents: Container[] = []
  #starts: number[] = []
  #memberKeys: string[] = []
  #pos = 0
  #fault = ''

  /** `text` must be well-formed (no lone surrogates), see `String.prototype.toWellFormed`. */
  constructor(text: string, options: ReadOptions = {}) {
    this.#text = text
    this.#lenient = options.lenientNumbers ?? false
    this.#spans = options.spans
    this.#spanDepth = options.spanDepth ?? 0
    this.#scanArray = options.scanArray
  }

  /** Reads the value at `start`; blanks before it are skipped. */
  read(start: number): ReadResult {
    this.#pos = start
    this.#fault = ''
    this.#parents = []
    this.#starts = []
    this.#memberKeys = []
    const value = this.#value()
    if (value === undefined) return { ok: false, at: this.#pos, reason: this.#fault }
    return { ok: true, value, end: this.#pos }
  }

  /** The first place at or behind `from` that is no blank. */
  skipBlanks(from: number): number {
    this.#pos = from
    this.#next()
    return this.#pos
  }

  /** One value with all that it holds; undefined at a fault. */
  #value(): Exact | undefined {
    for (;;) {
      const code = this.#next()
      let value: Exact | undefined = this.#scanned(code)
      if (value === undefined && (code === 123 || code === 91)) {
        this.#starts.push(this.#pos++)
        const container = this.#open(code)
        if (!this.#closes(container)) {
          if (container.keyed !== null && !this.#pushKey()) return undefined
          this.#parents.push(container)
          continue
        }
        value = this.#finish(container)
      } else value ??= this.#scalar(code)
      if (value === undefined) return undefined
      const whole = this.#handOver(value)
      if (whole !== unfinished) return whole
    }
  }

  /** The array that begins with `code`, when it can be scanned. */
  #scanned(code: number): ExactArray | undefined {
    if (code !== 91 || this.#starts.length > this.#spanDepth) return undefined
    const start = this.#pos
    const scanned = this.#scanArray?.(start)
    if (scanned === undefined) return undefined
    this.#pos = scanned.end
    this.#spans?.set(scanned.value, [start, scanned.end])
    return scanned.value
  }

  /**
   * Gives a whole value to its container, which may be whole by that, and so on. Returns the outermost value once it
   * is whole, `unfinished` when another member is due, undefined at a fault.
   */
  #handOver(member: Exact): Exact | undefined | typeof unfinished {
    let value = member
    for (;;) {
      const parent = this.#parents[this.#parents.length - 1]
      if (parent === undefined) return value
      if (parent.list === null) parent.keyed.set(this.#memberKeys.pop()!, value)
      else parent.list.push(value)
      if (!this.#closes(parent)) {
        if (!this.#comma(parent)) return undefined
        return parent.keyed === null || this.#pushKey() ? unfinished : undefined
      }
      this.#parents.pop()
      value = this.#finish(parent)
    }
  }

  #open(code: number): Container {
    return code === 123 ? { keyed: new Map(), list: null } : { keyed: null, list: [] }
  }

  /** Steps over the bracket that ends `parent`, if it is what comes next. */
  #closes(parent: Container): boolean {
    if (this.#next() !== (parent.list === null ? 125 : 93)) return false
    this.#pos++
    return true
  }

  #finish(container: Container): ExactArray | ExactObject {
    const start = this.#starts.pop()!
    const value = container.list ?? container.keyed
    if (this.#spans !== undefined && this.#starts.length <= this.#spanDepth)
      this.#spans.set(value, [start, this.#pos])
    return value
  }

  #comma(parent: Container): boolean {
    if (this.#next() !== 44) return this.#fail(`expected a comma or ${parent.list === null ? '}' : ']'}`)
    this.#pos++
    return true
  }

  #pushKey(): boolean {
    if (this.#next() !== quote) return this.#fail('expected a key in double quotes')
    const key = this.#string(true)
    if (key === undefined) return false
    if (this.#next() !== 58) return this.#fail('expected a colon after the key')
    this.#pos++
    this.#memberKeys.push(key)
    return true
  }

  #scalar(code: number): Exact | undefined {
    switch (code) {
      case quote:
        return this.#string(false)
      case 116:
        return this.#word('true', true)
      case 102:
        return this.#word('false', false)
      case 110:
        return this.#word('null', null)
      case 78:
      case 73:
        return this.#notFinite('')
      default:
        return this.#number()
    }
  }

  #word<T extends Exact>(word: string, value: T): T | undefined {
    if (!this.#text.startsWith(word, this.#pos)) return this.#failed('not a JSON value')
    this.#pos += word.length
    return value
  }

  #notFinite(sign: string): string | undefined {
    const word = sign === '' && this.#text.startsWith('NaN', this.#pos) ? 'NaN' : `${sign}Infinity`
    if (!this.#text.startsWith(word, this.#pos)) return this.#failed('not a JSON value')
    if (!this.#lenient) return this.#failed(`${word} is not a JSON number`)
    this.#pos += word.length
    return word
  }

  #number(): Exact | undefined {
    const text = this.#text
    const start = this.#pos
    let at = start
    let code = text.charCodeAt(at)
    if (code === 45) {
      code = text.charCodeAt(++at)
      if (code === 73) return this.#notFinite('-')
    }
    let whole = 0
    const digits = at
    while (code >= 48 && code <= 57) {
      whole = whole * 10 + code - 48
      code = text.charCodeAt(++at)
    }
    if (at === digits) return this.#failed(at >= text.length ? 'the text ends here' : 'not a JSON value', at)
    if (at - digits > 1 && text.charCodeAt(digits) === 48) return this.#failed('a number with a leading zero')
    const integer = code !== 46 && code !== 101 && code !== 69
    // Up to 15 digits every integer is exact and its spelling is the only one, except for minus zero.
    if (integer && at - digits <= 15 && (whole !== 0 || digits === start)) {
      this.#pos = at
      return digits === start ? whole : -whole
    }
    if (!integer) {
      at = this.#fraction(at)
      if (at < 0) return undefined
    }
    this.#pos = at
    const spelling = text.slice(start, at)
    const value = Number(spelling)
    return String(value) === spelling ? value : new ExactNumber(spelling)
  }

  /** The place behind `.digits` and `e±digits` at `at`; -1 at a fault. */
  #fraction(from: number): number {
    let at = from
    if (this.#text.charCodeAt(at) === 46) {
      at = this.#digits(at + 1)
      if (at < 0) return -1
    }
    if ((this.#text.charCodeAt(at) | 32) !== 101) return at
    const sign = this.#text.charCodeAt(at + 1)
    return this.#digits(sign === 43 || sign === 45 ? at + 2 : at + 1)
  }

  #digits(from: number): number {
    let at = from
    let code = this.#text.charCodeAt(at)
    while (code >= 48 && code <= 57) code = this.#text.charCodeAt(++at)
    if (at > from) return at
    this.#failed('expected a digit', at)
    return -1
  }

  #string(isKey: boolean): string | undefined {
    const text = this.#text
    const start = ++this.#pos
    let at = start
    let hash = 0
    let escaped = false
    let code = text.charCodeAt(at)
    while (code !== quote) {
      // Also where the text ends, since NaN compares false.
      if (!(code >= 32)) return this.#failed(this.#badCharacter(code), at)
      if (code === backslash) {
        escaped = true
        at++
      }
      hash = (hash * 31 + code) | 0
      code = text.charCodeAt(++at)
    }
    this.#pos = at + 1
    if (escaped) return this.#unescape(start, at)
    return isKey && at - start <= longestSharedKey ? this.#sharedKey(start, at, hash) : text.slice(start, at)
  }

  #badCharacter(code: number): string {
    if (Number.isNaN(code)) return 'the text ends inside a string'
    return `a control character (code ${code}) inside a string must be escaped`
  }

  #sharedKey(start: number, end: number, hash: number): string {
    const slot = hash & (slots - 1)
    const known = this.#keys[slot]
    if (known !== undefined && known.length === end - start && this.#text.startsWith(known, start))
      return known
    const key = this.#text.slice(start, end)
    this.#keys[slot] = key
    return key
  }

  /** The platform's own parser knows the escapes; whole strings are made well-formed, since Parquet text is UTF-8. */
  #unescape(start: number, end: number): string | undefined {
    try {
      const value: unknown = JSON.parse(this.#text.slice(start - 1, end + 1))
      if (typeof value === 'string') return value.toWellFormed()
    } catch {
      // The place is looked for below.
    }
    return this.#failed('an escape that JSON does not know', this.#badEscape(start, end))
  }

  #badEscape(start: number, end: number): number {
    let at = this.#text.indexOf('\\', start)
    while (at >= 0 && at < end && validEscape.test(this.#text.slice(at, at + 6))) {
      at = this.#text.indexOf('\\', at + 2)
    }
    return at
  }

  /** Moves to the next character that is no blank and returns its code, NaN at the end. */
  #next(): number {
    let code = this.#text.charCodeAt(this.#pos)
    while (code === 32 || code === 10 || code === 13 || code === 9) code = this.#text.charCodeAt(++this.#pos)
    return code
  }

  #failed(reason: string, at = this.#pos): undefined {
    this.#pos = at
    this.#fault = at >= this.#text.length ? 'the text ends too early' : reason
  }

  #fail(reason: string): false {
    this.#failed(reason)
    return false
  }
}
