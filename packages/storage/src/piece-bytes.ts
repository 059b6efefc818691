import { createHash } from 'node:crypto'
import { RunError } from '@huntfleet/contract'
import type { ByteRange } from './byte-range.ts'
import type { StoredObject } from './object-store.ts'
import { printable } from './printable.ts'

/** Bytes read at once; with the parts on their way they bound the memory of an assembly. */
const chunkBytes = 8 * 1024 * 1024

/** What `pieceBytes` needs of a store. */
export interface PieceSource {
  readonly url: string
  get(key: string, range: ByteRange): Promise<Uint8Array | null>
}

/** The content of a piece, chunk by chunk. Throws PIECE_LOST, at the end at the latest, if it is not what was stored. */
export async function* pieceBytes(source: PieceSource, piece: StoredObject): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let at = 0
  do {
    const wanted = Math.min(chunkBytes, piece.bytes - at)
    // One byte more shows a piece that has grown.
    const ask = at + wanted === piece.bytes ? wanted + 1 : wanted
    const chunk = await source.get(piece.key, { start: at, length: ask })
    if (chunk === null) throw pieceLost(source.url, piece, 'it is not there')
    if (chunk.byteLength !== wanted) throw pieceLost(source.url, piece, 'its size is another')
    hash.update(chunk)
    at += wanted
    if (wanted > 0) yield chunk
  } while (at < piece.bytes)
  if (hash.digest('hex') !== piece.sha256) throw pieceLost(source.url, piece, 'its content is another')
}

/** The error of a piece that cannot be used; `how` says what is wrong with it. */
export function pieceLost(url: string, piece: StoredObject, how: string): RunError {
  return new RunError(
    'PIECE_LOST',
    `${url}/${printable(piece.key)} should be a piece of ${piece.bytes} bytes with SHA-256 ${piece.sha256}, and ${how}`,
    { hint: 'the table must be fetched again; look for what removes or changes objects below _parts/' },
  )
}
