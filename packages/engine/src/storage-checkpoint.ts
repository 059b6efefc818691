import {
  type CheckpointSave,
  chainPage,
  noPages,
  openCheckpoint,
  RunError,
  randomName,
  type SavedCheckpoint,
  sealCheckpoint,
  type TableSpec,
} from '@huntfleet/contract'
import type { ObjectStore } from '@huntfleet/storage'
import { z } from 'zod'
import { fingerprintOf } from './fingerprint.ts'
import type { Logger } from './ports.ts'
import { piecesOf } from './table-file.ts'
import type { Checkpoint } from './table-ports.ts'

export interface StorageCheckpointOptions {
  store: ObjectStore
  spec: TableSpec
  jobId: string
  /** Grows with every worker that takes the job. */
  generation: number
  signingKey: string | null
  /** Whether the job is still ours. */
  isOurs(): Promise<boolean>
  logger: Logger
  afterStored(work: () => Promise<void>): void
}

/** As in Redis: going on costs the same. */
const capacity = 5 * 1024 * 1024

const headSchema = z.strictObject({
  /** Numbers of the objects that hold the open part's pages, by generation, this one included. */
  part: z.array(z.tuple([z.int().positive(), z.array(z.int().positive())])),
  /** Sizes of the pages in this object. */
  sizes: z.array(z.int().nonnegative()),
  checkpoint: z.string(),
})
type Head = z.infer<typeof headSchema>

/**
 * A table's checkpoint as objects in its own storage, for fleets that may not keep rows in Redis. Every save is a new
 * object, created only if absent, under the generation of its writer: one that was frozen, lost the job and woke up
 * writes beside its heir's, where nobody looks.
 */
export function storageCheckpoint(options: StorageCheckpointOptions): Checkpoint {
  const { store, spec, jobId, generation, signingKey, isOurs, logger } = options
  const prefix = `${piecesOf(spec)}checkpoint-${fingerprintOf(jobId)}-`
  const keyOf = (of: number, number: number): string =>
    `${prefix}${String(of).padStart(6, '0')}-${String(number).padStart(8, '0')}`
  const attempt = randomName(8)
  let number = 0
  let part: Head['part'] = []
  let chain = noPages

  const keysOf = (of: Head['part']) => of.flatMap(([by, numbers]) => numbers.map((one) => keyOf(by, one)))
  const remove = async (keys: readonly string[]) => {
    for (const key of keys) await store.delete(key).catch(() => {})
  }
  const read = async (key: string) => {
    const object = await store.get(key)
    if (object === null) throw new Error(`${key} is gone`)
    return unpacked(object)
  }

  const lastOne = async (): Promise<SavedCheckpoint | null> => {
    let last: string | null = null
    for await (const { key } of store.list(prefix)) last = key
    if (last === null) return null
    const { head } = await read(last)
    const pages: Uint8Array[] = []
    for (const key of keysOf(head.part)) pages.push(...(await read(key)).pages)
    const opened = openCheckpoint(jobId, head.checkpoint, pages, signingKey)
    if (typeof opened === 'string') throw new Error(opened)
    part = head.part
    chain = pages.reduce(chainPage, noPages)
    return opened
  }

  options.afterStored(async () => {
    const keys: string[] = []
    for await (const { key } of store.list(prefix)) keys.push(key)
    await remove(keys)
  })
  return {
    capacity,
    afterStored: options.afterStored,

    async load() {
      try {
        return await lastOne()
      } catch (error) {
        if (error instanceof RunError) throw error
        const why = error instanceof Error ? error.message : String(error)
        logger.warn('a checkpoint is not trusted, and the table begins again', { job: jobId, why })
        return null
      }
    },

    async save({ state, pages, newPart }: CheckpointSave) {
      if (!(await isOurs()))
        throw new RunError(
          'LOCK_LOST',
          `job ${jobId} belongs to another worker now; its checkpoint was not written`,
        )
      // A number of its own for every try: what became of the last one may not be known.
      number += 1
      const all = pages.reduce(chainPage, newPart ? noPages : chain)
      const head: Head = {
        part: pages.length > 0 ? added(newPart ? [] : part, generation, number) : newPart ? [] : part,
        sizes: pages.map((page) => page.length),
        checkpoint: sealCheckpoint(jobId, state, all, signingKey),
      }
      const body = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...pages])
      const { created } = await store.put(keyOf(generation, number), body, {
        createOnly: true,
        metadata: { attempt },
      })
      if (!created)
        throw new RunError('LOCK_LOST', `job ${jobId} is fetched by another worker of the same generation`)
      const old = newPart ? keysOf(part) : []
      part = head.part
      chain = all
      await remove(old)
    },
  }
}

function added(part: Head['part'], generation: number, number: number): Head['part'] {
  const ours = part.find(([by]) => by === generation)?.[1] ?? []
  return [...part.filter(([by]) => by !== generation), [generation, [...ours, number]]]
}

function unpacked(object: Uint8Array): { head: Head; pages: Uint8Array[] } {
  const end = object.indexOf('\n'.charCodeAt(0))
  const head = headSchema.parse(JSON.parse(Buffer.from(object.subarray(0, Math.max(0, end))).toString()))
  let at = end + 1
  const pages = head.sizes.map((size) => {
    at += size
    return object.subarray(at - size, at)
  })
  return { head, pages }
}
