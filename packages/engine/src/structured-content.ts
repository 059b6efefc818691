import type { FormatContext } from './format.ts'
import { decodeBlocks, rootsOf } from './formats/json.ts'
import type { DecodedText } from './json/decode-text.ts'
import { type Exact, isExactObject } from './json/exact.ts'
import { toExact } from './json/to-exact.ts'
import { compilePath, readPath } from './path.ts'
import type { ToolResult } from './ports.ts'

/** JSON values and the texts that were decoded on the way to them. */
export interface Roots {
  values: Exact[]
  blocks: DecodedText[]
}

/**
 * The JSON values of `structuredContent`; undefined where the binding does not want it or it is prose. A sole key
 * `result`, in which frameworks wrap what is no object, is looked through unless `items_path` leads through it.
 */
export function structuredRoots(result: ToolResult, context: FormatContext): Roots | undefined {
  const { contentFrom, itemsPath } = context.answer
  if (contentFrom === 'text' || contentFrom === 'resource') return undefined
  if (result.structuredContent === undefined || result.structuredContent === null) return undefined
  const whole = toExact(result.structuredContent)
  const inner = isExactObject(whole) && whole.size === 1 ? whole.get('result') : undefined
  const leadsThrough = itemsPath !== null && readPath(whole, compilePath(itemsPath)) !== undefined
  if (inner === undefined || leadsThrough) return { values: [whole], blocks: [] }
  const roots = unquote([inner], context)
  return typeof roots.values[0] === 'string' ? undefined : roots
}

/** The text that `structuredContent` holds in place of a text block: itself, or its sole member. */
export function structuredText(result: ToolResult): string {
  const structured = toExact(result.structuredContent)
  const inner = isExactObject(structured) && structured.size === 1 ? [...structured.values()][0] : structured
  return typeof inner === 'string' ? inner : ''
}

/** A JSON string that holds JSON is decoded once more: servers that serialise twice are common. */
export function unquote(values: readonly Exact[], context: FormatContext): Roots {
  const blocks: DecodedText[] = []
  const unquoted = values.flatMap((value): Exact[] => {
    if (typeof value !== 'string') return [value]
    const inside = decodeBlocks([value], context)
    blocks.push(...inside)
    const roots = rootsOf(inside)
    return roots.length > 0 ? roots : [value]
  })
  return { values: unquoted, blocks }
}
