import { RunError } from '@huntfleet/contract'
import type { Assembly, ObjectWriter, StoredObject } from './object-store.ts'
import { type PieceSource, pieceBytes } from './piece-bytes.ts'

/** A writer that knows the SHA-256 of what it was given so far. */
export interface HashingWriter extends ObjectWriter {
  readonly sha256: string
}

/** Reads the pieces and writes them and the tail as the object of `writer`. Aborts it when that fails. */
export async function writeAssembly(
  writer: HashingWriter,
  { pieces, tail, sha256 }: Assembly,
  source: PieceSource,
): Promise<StoredObject> {
  try {
    for (const piece of pieces) {
      for await (const chunk of pieceBytes(source, piece)) await writer.write(chunk)
    }
    await writer.write(tail)
    if (sha256 !== undefined && sha256 !== writer.sha256) {
      throw new RunError(
        'INTERNAL',
        `the pieces and the tail have the SHA-256 ${writer.sha256}, and should have ${sha256}`,
      )
    }
    return await writer.commit()
  } catch (error) {
    await writer.abort()
    throw error
  }
}
