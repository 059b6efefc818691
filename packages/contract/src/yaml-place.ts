import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml'
import { isMergeKey } from './yaml-document.ts'
import type { DocumentPath } from './yaml-file.ts'

/** Where in the text the node at `path` begins; the nearest parent's place when there is no such node. */
export function offsetAt(document: Document, path: DocumentPath, what: 'key' | 'value'): number {
  let node = resolved(document, document.contents as Node | null)
  let offset = node?.range?.[0] ?? 0
  for (const [i, step] of path.entries()) {
    if (isMap(node)) {
      const pair = pairOf(document, node, String(step))
      if (pair === undefined) return offset
      const key = pair.key as Node
      const value = pair.value as Node | null
      const last = i === path.length - 1
      offset = (last && what === 'value' && value?.range?.[0]) || (key.range?.[0] ?? offset)
      node = resolved(document, value)
    } else if (isSeq(node)) {
      const item = node.items[Number(step)] as Node | undefined
      if (item === undefined) return offset
      offset = (isPair(item) ? (item.key as Node) : item).range?.[0] ?? offset
      node = resolved(document, item)
    } else return offset
  }
  return offset
}

function resolved(document: Document, node: Node | null | undefined): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : (node ?? null)
}

/** The pair of a key, looked for in merged maps too. */
function pairOf(document: Document, map: YAMLMap, key: string): Pair | undefined {
  const own = map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)
  if (own !== undefined) return own
  for (const pair of map.items) {
    if (!isScalar(pair.key) || !isMergeKey(pair.key)) continue
    const source = resolved(document, pair.value as Node)
    const maps = isSeq(source) ? source.items.map((item) => resolved(document, item as Node)) : [source]
    for (const merged of maps) {
      const found = isMap(merged) ? pairOf(document, merged, key) : undefined
      if (found !== undefined) return found
    }
  }
  return undefined
}
