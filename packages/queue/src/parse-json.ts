/** The value of a JSON text that others may have written; null when there is none or it is not JSON. */
export function parseJson(text: string | null | undefined): unknown {
  if (text === null || text === undefined) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
