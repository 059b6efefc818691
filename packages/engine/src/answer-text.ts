import { compactJson } from './json/compact.ts'
import { type DecodedText, textAround, textOf } from './json/decode-text.ts'
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
  if (items.failure !== null) {
    const containers = blocks.flatMap((block) => block.values.map(({ value }) => value))
    const prose = blocks.map((block) => textAround(block, containers.filter(isContainer)))
    return [...prose, ...roots.map((root) => textWithoutArrays(root))]
      .filter((text) => text.trim() !== '')
      .join('\n')
  }
  const texts = blocks.map((block) => textAround(block, items.containers))
  const untexted = roots.filter(
    (root) => !blocks.some((block) => block.values.some(({ value }) => value === root)),
  )
  const written = untexted.filter((root) => !items.containers.some((container) => container === root))
  return [...texts, ...written.map((root) => textWithoutArrays(root))]
    .filter((text) => text.trim() !== '')
    .join('\n')
}

function isContainer(value: Exact) {
  return isExactArray(value) || isExactObject(value)
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
  return items.containers.map((container) => {
    for (const block of blocks) {
      const text = textOf(block, container)
      if (text !== undefined) return text
    }
    return compactJson(container)
  })
}
