import { createHash } from 'node:crypto'
import { RunError } from '@huntfleet/contract'
import type { Assembly, StoredObject } from './object-store.ts'
import { type PieceSource, pieceBytes, pieceLost } from './piece-bytes.ts'
import type { S3Bucket, S3Head } from './s3-bucket.ts'
import { faultOf } from './s3-errors.ts'
import { maxParts } from './s3-multipart.ts'
import type { S3Writer } from './s3-writer.ts'

/** S3's limits of a part that is not the last, and of a copied one. */
const minPartBytes = 5 * 1024 * 1024
const maxCopyBytes = 5 * 1024 ** 3

/**
 * How many pieces, from the first on, can be copied as parts; what follows is read and sent. `prefix` is the store's.
 * Ceph decodes the names of sources twice, so that `a%20b` would be taken for `a b`: such keys are not copied.
 */
export function copyableCount(
  { pieces, tail }: Assembly,
  { prefix, partBytes }: { prefix: string; partBytes: number },
): number {
  const unfit = pieces.findIndex(
    ({ key, bytes }) => bytes < minPartBytes || bytes > maxCopyBytes || `${prefix}${key}`.includes('%'),
  )
  const count = unfit === -1 ? pieces.length : unfit
  const rest = pieces.slice(count).reduce((sum, { bytes }) => sum + bytes, tail.byteLength)
  return count + Math.ceil(rest / partBytes) <= maxParts ? count : 0
}

/** Assembles by copying the first `copied` pieces on the server. Aborts the writer when that fails. */
export async function copyAssembly(
  writer: S3Writer,
  assembly: Assembly,
  copied: number,
  bucket: S3Bucket,
  source: PieceSource,
): Promise<StoredObject> {
  const { pieces, tail } = assembly
  try {
    const sha256 = assembly.sha256 ?? (await hashOf(assembly, source))
    for (const piece of pieces.slice(0, copied)) await writer.copy(await seen(piece, bucket, source))
    for (const piece of pieces.slice(copied)) {
      for await (const chunk of pieceBytes(source, piece)) await writer.write(chunk)
    }
    await writer.write(tail)
    return { ...(await writer.commit()), sha256 }
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/**
 * Whether the server's answer is about the request rather than about its own state. Some cannot copy parts, and
 * Cloudflare R2 wants all parts but the last to be of one size, which it says at the end only.
 */
export function refusesCopies(error: unknown): boolean {
  if (!(error instanceof RunError) || error.code === 'SINK_UNREACHABLE') return false
  return faultOf(error.cause) !== null
}

/** The object of a piece, proven to be what `put` stored. */
async function seen(piece: StoredObject, bucket: S3Bucket, source: PieceSource): Promise<S3Head> {
  const found = await bucket.head(piece.key)
  if (found === null) throw pieceLost(source.url, piece, 'it is not there')
  if (found.bytes !== piece.bytes) throw pieceLost(source.url, piece, `it holds ${found.bytes} bytes`)
  const stored = found.metadata['sha256']
  if (stored === undefined)
    for await (const _ of pieceBytes(source, piece)); // The server keeps no metadata.
  else if (stored !== piece.sha256) throw pieceLost(source.url, piece, 'its content is another')
  return found
}

async function hashOf({ pieces, tail }: Assembly, source: PieceSource): Promise<string> {
  const hash = createHash('sha256')
  for (const piece of pieces) for await (const chunk of pieceBytes(source, piece)) hash.update(chunk)
  return hash.update(tail).digest('hex')
}
