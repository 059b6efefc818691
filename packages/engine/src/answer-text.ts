import { joinTexts } from './join-texts.ts'
import { compactJson } from './json/compact.ts'
import { type DecodedText, textAround } from './json/decode-text.ts'
import { type Exact, isExactArray, isExactObject } from './json/exact.ts'
import type { Items } from './navigate.ts'

/** How deep the text of a value goes that has no text of its own. */
const deepest = 5

/**
 * The text around the rows of a JSON answer, as the source wrote it: prose, and the JSON with its rows cut out.
 * Where no rows were found, every array is cut out, since each of them might have held the rows.
 */
export function textBesideRows(
  blocks: readonly DecodedText[],
  roots: readonly Exact[],
  items: Items,
): string {
  const inText = new Set(rootsIn(blocks))
  const failed = items.failure !== null
  const cut = failed ? inText : new Set<Exact>(items.containers)
  const told = roots.filter((root) => failed || !(inText.has(root) || cut.has(root)))
  return joinTexts([
    ...blocks.map((block) => textAround(block, cut)),
    ...told.map((root) => textWithoutArrays(root)),
  ])
}

function rootsIn(blocks: readonly DecodedText[]): Exact[] {
  return blocks.flatMap((block) => block.values.map(({ value }) => value))
}

/** A value as JSON text without the arrays in it, and without the text `omitted`. */
export function textWithoutArrays(value: Exact, omitted?: Exact): string {
  return isExactArray(value) ? '' : compactJson(withoutArrays(value, omitted, 0))
}

function withoutArrays(value: Exact, omitted: Exact | undefined, depth: number): Exact {
  if (!isExactObject(value)) return value
  if (depth === deepest) return null
  const kept = new Map<string, Exact>()
  for (const [key, member] of value) {
    if (isExactArray(member) || member === omitted) continue
    kept.set(key, withoutArrays(member, omitted, depth + 1))
  }
  return kept
}

/** The texts that carry the rows, byte for byte where the source sent text: what tells a page from the next. */
export function rowTexts(blocks: readonly DecodedText[], items: Items): string[] {
  const texts = new Map<Exact, string>()
  const wanted = new Set<Exact>(items.containers)
  for (const { text, spans } of blocks) {
    for (const [container, [start, end]] of spans) {
      if (wanted.has(container)) texts.set(container, text.slice(start, end))
    }
  }
  return items.containers.map((container) => texts.get(container) ?? compactJson(container))
}
