import { createHash } from 'node:crypto'
import { RunError } from '@huntfleet/contract'
import type { ObjectStore, StoredObject } from '@huntfleet/storage'

/** One object made of others, in this order, and a tail. */
interface Assembly {
  pieces: readonly StoredObject[]
  tail: Uint8Array
  /** SHA-256 of the whole, from a hash that has seen every byte. */
  sha256: string
}

/** Makes one new object of pieces and a tail; a piece that is not what it was is SINK_INVALID, and nothing appears. */
export async function assembleObject(
  store: ObjectStore,
  key: string,
  { pieces, tail, sha256 }: Assembly,
  options: { contentType: string; metadata: Readonly<Record<string, string>> },
): Promise<StoredObject> {
  const writer = await store.create(key, options)
  const hash = createHash('sha256')
  try {
    for (const piece of pieces) {
      const bytes = await store.get(piece.key)
      if (bytes === null || createHash('sha256').update(bytes).digest('hex') !== piece.sha256)
        throw new RunError('SINK_INVALID', `the piece ${piece.key} is not what it was`)
      hash.update(bytes)
      await writer.write(bytes)
    }
    await writer.write(tail)
    if (hash.update(tail).digest('hex') !== sha256)
      throw new RunError('INTERNAL', 'the pieces and the tail are not the file that was hashed')
    return await writer.commit()
  } catch (error) {
    await writer.abort()
    throw error
  }
}
