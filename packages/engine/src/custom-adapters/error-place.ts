import { fileURLToPath } from 'node:url'

/** Where a user's code threw. */
export interface ErrorPlace {
  /** Absolute. */
  file: string
  line: number
  column: number | undefined
}

const frame = /(file:\/\/[^\s)]+?):(\d+):(\d+)\)?$/
/** What Node puts above the stack when it cannot strip the types of a module. */
const syntaxHeader = /^(\/.+|[A-Za-z]:\\.+):(\d+)$/

/**
 * The topmost place in the stack of an error that is in a module other than `own`; null when there is none, as for
 * JavaScript that does not parse: the engine does not tell.
 */
export function errorPlace(error: Error, own: string): ErrorPlace | null {
  const lines = (error.stack ?? '').split('\n')
  const header = syntaxHeader.exec(lines[0] ?? '')
  if (header?.[1] !== undefined) return { file: header[1], line: Number(header[2]), column: undefined }
  for (const line of lines) {
    const [, url, row, column] = frame.exec(line) ?? []
    if (url === undefined || url === own) continue
    return { file: fileURLToPath(url), line: Number(row), column: Number(column) }
  }
  return null
}
