import { once } from 'node:events'
import type { Manifest } from '@huntfleet/contract'
import { openQueue, type Producer } from '@huntfleet/queue'
import type { ObjectStore } from '@huntfleet/storage'
import { startHuntfleet } from '../e2e/fixture/huntfleet-process.ts'

/** What is left in Redis once all runs have ended and all workers are gone, as sentences: jobs, locks, checkpoints. */
export async function leftInRedis({ fleet, listQueues }: Producer): Promise<string[]> {
  const left: string[] = []
  for (const name of await listQueues()) {
    const queue = openQueue(fleet, name)
    const counts = await queue.getJobCounts('active', 'waiting', 'delayed', 'waiting-children', 'prioritized')
    await queue.close()
    for (const [state, count] of Object.entries(counts))
      if (count > 0) left.push(`${count} ${state} in ${name}`)
  }
  const scan = fleet.redis.scanStream({ match: `${fleet.keys.prefix}:*`, count: 1_000 })
  const keys = new Set<string>()
  scan.on('data', (some: string[]) => some.forEach((key) => void keys.add(key)))
  await once(scan, 'end')
  const forgotten = [...keys].filter((key) => key.endsWith(':lock') || key.includes(':checkpoint:'))
  return [...left, ...forgotten.map((key) => `the key ${key}`)]
}

/** Removes what no manifest names, as an operator does when nothing else uses the storage. */
export async function removeGarbage(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const gc = startHuntfleet(['gc', '--older-than', '1ms', '--force', '--json'], { cwd: folder, env })
  const code = await gc.ended
  if (code !== 0) throw new Error(`gc ended with ${code}: ${gc.stderr()}`)
}

/** What is in storage and named by no manifest. */
export async function leftInStorage(
  store: ObjectStore,
  manifests: ReadonlyMap<string, Manifest>,
): Promise<string[]> {
  const named = new Set<string | null>(manifests.keys())
  for (const { tables } of manifests.values()) {
    for (const entry of Object.values(tables)) {
      for (const path of [entry.path, entry.rejects_path, entry.ledger_path]) named.add(path)
    }
  }
  const left: string[] = []
  for await (const { key } of store.list('')) if (!named.has(key)) left.push(key)
  for await (const { kind, key } of store.unfinished()) left.push(`${kind} ${key}`)
  return left
}
