import type { AnswerSpec } from '@huntfleet/contract'
import type { Exact, ExactArray, ExactObject } from './exact.ts'
import { type FoundJson, type FoundValue, findEmbeddedJson, findFencedJson } from './find-json.ts'
import { JsonReader, type ReadOptions, type Span } from './json-reader.ts'
import { arrayScanner } from './scanned-array.ts'

/** A text block and the JSON values that stand in it. */
export interface DecodedText {
  /** Well-formed and without a byte order mark; the places below are places in it. */
  text: string
  values: FoundValue[]
  /** A piece that begins like JSON and does not end like it. */
  broken: FoundJson['broken']
  /** Places of the containers that may carry rows. */
  spans: Map<ExactArray | ExactObject, Span>
}

/**
 * Finds the JSON of a text block as `extract` says: the whole text; else code fences; else values amid prose
 * (SPEC section 6). Python's `NaN` and `Infinity` are read as words. A text that begins with a bracket and holds no
 * JSON is broken, never prose. `spanDepth`: how deep below a value rows may lie.
 */
export function decodeText(text: string, extract: AnswerSpec['extract'], spanDepth: number): DecodedText {
  const source = text.toWellFormed().replace(/^\ufeff/, '')
  const spans: DecodedText['spans'] = new Map()
  const options = { lenientNumbers: true, spans, spanDepth, scanArray: arrayScanner(source) }
  const whole = extract === 'fenced' ? null : readWhole(source, new JsonReader(source, options))
  if (whole !== null && whole.values.length > 0) return { text: source, spans, ...whole }
  spans.clear()
  const found = find(source, extract, options)
  const broken = found.broken ?? (found.values.length === 0 ? (whole?.broken ?? null) : null)
  return { text: source, spans, values: found.values, broken }
}

/** The text as one JSON value; as broken when it begins with a bracket and is none. */
function readWhole(source: string, reader: JsonReader): FoundJson {
  const start = reader.skipBlanks(0)
  const result = reader.read(start)
  const end = result.ok ? reader.skipBlanks(result.end) : start
  if (result.ok && end === source.length) {
    return { values: [{ value: result.value, start, end: result.end }], broken: null }
  }
  if (source[start] !== '{' && source[start] !== '[') return { values: [], broken: null }
  const fault = result.ok ? { at: end, reason: 'text after the end of the value' } : result
  return { values: [], broken: { start, at: fault.at, reason: fault.reason } }
}

function find(source: string, extract: AnswerSpec['extract'], options: ReadOptions): FoundJson {
  if (extract === 'none') return { values: [], broken: null }
  if (extract === 'json') return findEmbeddedJson(source, options)
  // Amid a JSON text three backticks are no fence.
  if (extract === 'auto' && /^\s*(?:\{\s*["}]|\[\s*[[{"])/.test(source))
    return findEmbeddedJson(source, options)
  const fenced = findFencedJson(source, options)
  if (extract === 'fenced' || fenced.values.length > 0 || fenced.broken !== null) return fenced
  return findEmbeddedJson(source, options)
}

/**
 * What a block's text says beside its rows: the text without the given containers and without a broken piece.
 * Spacing and spelling are those of the source.
 */
export function textAround(block: DecodedText, cut: ReadonlySet<Exact>): string {
  const places: Span[] = []
  for (const [container, place] of block.spans) if (cut.has(container)) places.push(place)
  if (block.broken !== null) places.push([block.broken.start, block.text.length])
  places.sort((a, b) => a[0] - b[0])
  let text = ''
  let from = 0
  for (const [start, end] of places) {
    if (start > from) text += block.text.slice(from, start)
    from = Math.max(from, end)
  }
  return text + block.text.slice(from)
}
