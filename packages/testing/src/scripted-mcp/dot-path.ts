/** The value at a dot-path of some arguments; a key that holds the whole path wins. */
export function atDotPath(value: unknown, path: string): unknown {
  if (isRecord(value) && Object.hasOwn(value, path)) return value[path]
  let here: unknown = value
  for (const key of path.split('.')) {
    if (!isRecord(here) || !Object.hasOwn(here, key)) return undefined
    here = here[key]
  }
  return here
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
