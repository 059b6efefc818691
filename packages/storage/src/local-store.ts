import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ByteRange, checkRange } from './byte-range.ts'
import { keyTaken } from './key-taken.ts'
import { hasErrno, localError } from './local-errors.ts'
import { listFiles } from './local-list.ts'
import { ensureFolder, removeEmptyFolders, statBelow } from './local-path.ts'
import { LocalWriter } from './local-writer.ts'
import { checkKey, checkKeyPrefix, temporaryFolder } from './object-key.ts'
import type {
  Assembly,
  ConditionalWrites,
  ObjectHead,
  ObjectStore,
  ObjectWriter,
  PutOptions,
  StoredObject,
  Unfinished,
} from './object-store.ts'
import { writeAssembly } from './write-assembly.ts'

export interface LocalStoreOptions {
  /** Whether files and folders are forced to disk before a write counts as done; default true, false for tests. */
  fsync?: boolean
}

/** Unfinished files of writers that were killed are removed after a day without a write. */
const staleAfterMs = 24 * 60 * 60 * 1000

/**
 * Opens the folder `root` (an absolute path, made if it is missing) as an `ObjectStore`. Folders and files are private
 * to the user (0700, 0600); `metadata` and `contentType` have no place in a file and are dropped. One host only: hard
 * links over NFS or SMB were never tested.
 */
export async function openLocalStore(root: string, options: LocalStoreOptions = {}): Promise<ObjectStore> {
  const fsync = options.fsync ?? true
  try {
    await mkdir(root, { recursive: true, mode: 0o700 })
    const folder = await realpath(root)
    await ensureFolder(folder, temporaryFolder, fsync)
    await sweep(join(folder, temporaryFolder))
    return new LocalStore(folder, fsync)
  } catch (error) {
    throw localError(error, 'open', root)
  }
}

class LocalStore implements ObjectStore {
  readonly url: string
  readonly #root: string
  readonly #fsync: boolean

  constructor(root: string, fsync: boolean) {
    this.url = pathToFileURL(root).href
    this.#root = root
    this.#fsync = fsync
  }

  async put(
    key: string,
    body: Uint8Array,
    options: PutOptions = {},
  ): Promise<StoredObject & { created: boolean }> {
    const writer = await this.#writer(key, options.signal)
    try {
      await writer.write(body)
      return await writer.commitAs(options.createOnly ? 'new' : 'replace')
    } catch (error) {
      await writer.abort()
      throw error
    }
  }

  async create(key: string, options: Omit<PutOptions, 'createOnly'> = {}): Promise<ObjectWriter> {
    return await this.#newWriter(key, options.signal)
  }

  async assemble(
    key: string,
    assembly: Assembly,
    options: Omit<PutOptions, 'createOnly'> = {},
  ): Promise<StoredObject> {
    return await writeAssembly(await this.#newWriter(key, options.signal), assembly, this)
  }

  async get(key: string, range?: ByteRange): Promise<Uint8Array | null> {
    checkKey(key)
    if (range !== undefined) checkRange(range)
    if ((await this.#stat(key))?.isFile() !== true) return null
    const path = join(this.#root, key)
    try {
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
      try {
        return range === undefined ? await file.readFile() : await readRange(file, range)
      } finally {
        await file.close()
      }
    } catch (error) {
      if (hasErrno(error, 'ENOENT')) return null
      throw localError(error, 'read', path)
    }
  }

  async head(key: string): Promise<ObjectHead | null> {
    checkKey(key)
    const stats = await this.#stat(key)
    return stats?.isFile() ? { key, bytes: stats.size, modifiedAt: Math.trunc(stats.mtimeMs) } : null
  }

  async *list(prefix: string): AsyncGenerator<ObjectHead> {
    checkKeyPrefix(prefix)
    try {
      yield* listFiles(this.#root, prefix)
    } catch (error) {
      throw localError(error, 'list', join(this.#root, prefix))
    }
  }

  async delete(key: string): Promise<void> {
    checkKey(key)
    if ((await this.#stat(key))?.isFile() !== true) return
    const path = join(this.#root, key)
    try {
      await rm(path, { force: true })
      await removeEmptyFolders(this.#root, key)
    } catch (error) {
      throw localError(error, 'delete', path)
    }
  }

  async *unfinished(): AsyncGenerator<Unfinished> {
    const folder = join(this.#root, temporaryFolder)
    try {
      for (const id of (await readdir(folder)).sort()) {
        const stats = await lstat(join(folder, id)).catch(() => null)
        if (!stats?.isFile()) continue
        const { size: bytes, mtimeMs } = stats
        const key = `${temporaryFolder}/${id}`
        yield { kind: 'temporary', key, id, bytes, modifiedAt: Math.trunc(mtimeMs) }
      }
    } catch (error) {
      if (!hasErrno(error, 'ENOENT')) throw localError(error, 'list', folder)
    }
  }

  async discard({ id }: Unfinished): Promise<void> {
    const path = join(this.#root, temporaryFolder, basename(id))
    try {
      await rm(path, { force: true })
    } catch (error) {
      throw localError(error, 'delete', path)
    }
  }

  async conditionalWrites(): Promise<ConditionalWrites> {
    return 'supported'
  }

  async close(): Promise<void> {}

  /** Throws if the key exists. */
  async #newWriter(key: string, signal: AbortSignal | undefined): Promise<LocalWriter> {
    checkKey(key)
    if ((await this.#stat(key)) !== null) throw keyTaken(key, join(this.#root, key))
    return await this.#writer(key, signal)
  }

  async #writer(key: string, signal: AbortSignal | undefined): Promise<LocalWriter> {
    checkKey(key)
    return await LocalWriter.open({ root: this.#root, key, fsync: this.#fsync, signal })
  }

  async #stat(key: string): ReturnType<typeof statBelow> {
    try {
      return await statBelow(this.#root, key)
    } catch (error) {
      throw localError(error, 'read', join(this.#root, key))
    }
  }
}

async function readRange(file: FileHandle, { start, length }: ByteRange): Promise<Uint8Array> {
  const { size } = await file.stat()
  const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - start)))
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

async function sweep(folder: string): Promise<void> {
  const oldest = Date.now() - staleAfterMs
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const stats = await lstat(path).catch(() => null)
    if (stats?.isFile() && stats.mtimeMs < oldest) await rm(path, { force: true }).catch(() => {})
  }
}
