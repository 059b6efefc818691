import { publishManifest } from '../src/manifest-store.ts'
import type { ObjectStore } from '../src/object-store.ts'
import { pieceKey } from '../src/piece-key.ts'
import { publishDeadline } from '../src/publish-deadline.ts'
import { manifestOf } from './manifest-of.ts'

export const runLayout = '{run_id}-{table}'
const folder = 'dns.1-events'
export const manifestFile = '_runs/strategy=dns/run=dns.1/manifest.json'

/** Ends as our Parquet files do, for the garbage collection. */
const fileOf = (what: string): Buffer => Buffer.from(`PAR1 ${what.repeat(100)} huntfleet.run_id PAR1`)
const piece = fileOf('piece ')

/** What an attempt stores beside its manifest. */
export function filesOf(attempt: string): Map<string, Buffer> {
  return new Map([
    [pieceKey(folder, attempt, 0), piece],
    [`_rejects/${folder}/${attempt}.parquet`, fileOf(`rejects ${attempt} `)],
    [`${folder}/${attempt}.parquet`, fileOf(`streamed ${attempt} `)],
    [`${folder}/${attempt.slice(0, -1)}z.parquet`, Buffer.concat([piece, fileOf(`tail ${attempt} `)])],
  ])
}

/** Everything that the life of a run does to a store; whether it was this attempt that published. */
export async function publishRun(store: ObjectStore, attempt: string): Promise<boolean> {
  const [part, rejects, streamed, assembled] = [...filesOf(attempt)]
  if (!part || !rejects || !streamed || !assembled) throw new Error('an attempt has four files')
  const pieces = [await store.put(part[0], part[1], { createOnly: true })]
  await store.put(rejects[0], rejects[1], { createOnly: true })
  const writer = await store.create(streamed[0])
  for (const half of [streamed[1].subarray(0, 50), streamed[1].subarray(50)]) await writer.write(half)
  await writer.commit()
  await store.assemble(assembled[0], { pieces, tail: assembled[1].subarray(piece.length) })
  const named = [rejects, streamed, assembled].map(([key]) => key)
  const manifest = { ...manifestOf('dns.1', attempt), params: { named } }
  const deadline = publishDeadline(new Date().toISOString())
  const { created } = await publishManifest(store, manifest, { retry: 1, attempt, deadline })
  await store.delete(part[0])
  return created
}
