/** Where the pieces of unfinished tables are. Layouts cannot begin with `_`, so nothing else lives there. */
export const piecesFolder = '_parts'

/**
 * The key of a piece of a table's future file. `dataPrefix` is that of `tablePrefixes`; `attempt` belongs to whoever
 * fetches at the time, and must not be used by two of them: a key is written once.
 */
export function pieceKey(dataPrefix: string, attempt: string, number: number): string {
  return `${piecesFolder}/${dataPrefix}/${attempt}-${String(number).padStart(5, '0')}.part`
}
