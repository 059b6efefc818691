import type { ObjectHead, ObjectStore } from './object-store.ts'

/** Our facts stand at the end of a footer, after the row groups, which may be many. */
const tailBytes = 256 * 1024

/** Whether an object is a Parquet file whose footer tells our facts; a file of somebody else may bear a name like ours. */
export async function hasOwnFooter(store: ObjectStore, { key, bytes }: ObjectHead): Promise<boolean> {
  const length = Math.min(bytes, tailBytes)
  const tail = Buffer.from((await store.get(key, { start: bytes - length, length })) ?? [])
  return tail.subarray(-4).toString('latin1') === 'PAR1' && tail.includes('huntfleet.run_id')
}
