/** Placeholders that are known only when a page is asked for: the worker fills them (SPEC section 5). */

export const lateNames = [
  'page.offset',
  'page.limit',
  'page.number',
  'page.cursor',
  'page.start',
  'page.end',
  'job.id',
] as const
export type LateName = (typeof lateNames)[number] | `secret.${string}`

const known: ReadonlySet<string> = new Set(lateNames)

/** Whether the worker fills a placeholder of this name. */
export function isLateName(name: string): name is LateName {
  return known.has(name) || /^secret\.[\w-]+$/.test(name)
}
