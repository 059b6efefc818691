import { layoutNames } from './layout.ts'
import { piecesFolder } from './piece-key.ts'

/** What we store, by the shapes of its keys. */
export type OwnKind = 'data' | 'rejects' | 'ledger' | 'manifest' | 'piece' | 'note' | 'probe'

/** What `newAttemptId` makes. */
const attempt = '[a-z0-9]{8}'
/** What `renderLayout` makes of a value. */
const value = '[A-Za-z0-9._%-]+'

/**
 * Tells which objects are ours: a bucket may hold others, which must be left alone. `layout` must be the one that they
 * were stored with, else data is not recognised.
 */
export function ownKinds(layout: string): (key: string) => OwnKind | null {
  const names = new RegExp(`\\{(?:${layoutNames.join('|')})\\}`)
  // No other character of a layout means something in a regular expression.
  const folders = layout.replace(/[.+]/g, '\\$&').split(names).join(value)
  const run = `_runs/strategy=${value}/run=${value}`
  const shapes: [OwnKind, RegExp][] = [
    ['data', new RegExp(`^${folders}/${attempt}\\.parquet$`)],
    ['rejects', new RegExp(`^_rejects/${folders}/${attempt}\\.parquet$`)],
    ['ledger', new RegExp(`^${run}/[A-Za-z0-9_]+\\.${attempt}\\.ledger\\.ndjson$`)],
    ['manifest', new RegExp(`^${run}/manifest(?:\\.[1-9]\\d{0,8})?\\.json$`)],
    ['piece', new RegExp(`^${piecesFolder}/`)],
    ['note', new RegExp(`^_started/strategy=${value}/run=${value}\\.json$`)],
    ['probe', /^\.huntfleet\/probe-[0-9a-f-]{36}$/],
  ]
  return (key) => shapes.find(([, shape]) => shape.test(key))?.[0] ?? null
}
