import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RunError } from '@huntfleet/contract'
import { throwIfAborted } from './cancellation.ts'
import { keyTaken } from './key-taken.ts'
import { hasErrno, localError } from './local-errors.ts'
import { ensureFolder, syncFolder } from './local-path.ts'
import { temporaryFolder } from './object-key.ts'
import type { StoredObject } from './object-store.ts'
import type { HashingWriter } from './write-assembly.ts'

const nameAttempts = 5

/** What a `LocalWriter` writes, and how. */
export interface LocalTarget {
  /** Absolute path of the store's folder. */
  root: string
  /** A checked key. */
  key: string
  fsync: boolean
  signal: AbortSignal | undefined
}

/**
 * A file that is written aside, in `.tmp` on the same file system, and gets its name when it is whole: `link` for a name
 * that must be new (it fails if the name exists, atomically), `rename` to replace.
 */
export class LocalWriter implements HashingWriter {
  readonly #target: LocalTarget
  readonly #path: string
  readonly #temporary: string
  readonly #file: FileHandle
  readonly #hash = createHash('sha256')
  #bytes = 0
  #open = true

  private constructor(target: LocalTarget, temporary: string, file: FileHandle) {
    this.#target = target
    this.#path = join(target.root, target.key)
    this.#temporary = temporary
    this.#file = file
  }

  static async open(target: LocalTarget): Promise<LocalWriter> {
    const temporary = join(target.root, temporaryFolder, randomUUID())
    try {
      throwIfAborted(target.signal)
      await ensureFolder(target.root, temporaryFolder, target.fsync)
      return new LocalWriter(target, temporary, await open(temporary, 'wx', 0o600))
    } catch (error) {
      throw localError(error, 'create', temporary)
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#mustBeOpen()
    throwIfAborted(this.#target.signal)
    this.#hash.update(bytes)
    this.#bytes += bytes.byteLength
    try {
      await this.#file.writeFile(bytes)
    } catch (error) {
      // Part of the bytes may have been written: this file must never be committed.
      this.#open = false
      throw localError(error, 'write', this.#temporary)
    }
  }

  get sha256(): string {
    return this.#hash.copy().digest('hex')
  }

  /** Commits under a name that must be new. */
  async commit(): Promise<StoredObject> {
    const { created, ...stored } = await this.commitAs('new')
    if (!created) throw keyTaken(stored.key, this.#path)
    return stored
  }

  /** Commits as a `new` name (`created: false` if it exists) or so as to `replace` what is there. */
  async commitAs(mode: 'new' | 'replace'): Promise<StoredObject & { created: boolean }> {
    this.#mustBeOpen()
    this.#open = false
    const { key, fsync, signal } = this.#target
    try {
      throwIfAborted(signal)
      if (fsync) await this.#file.sync()
      await this.#file.close()
      const created = await this.#name(mode)
      return { key, bytes: this.#bytes, sha256: this.#hash.digest('hex'), created }
    } catch (error) {
      throw localError(error, 'store', this.#path)
    } finally {
      await this.#discard()
    }
  }

  /** Whoever deletes the last file of a folder removes the folder, so that it may vanish before it is used. */
  async #name(mode: 'new' | 'replace'): Promise<boolean> {
    const { root, key, fsync } = this.#target
    const folder = dirname(key)
    for (let attempt = 1; ; attempt++) {
      try {
        if (folder !== '.') await ensureFolder(root, folder, fsync)
        const created =
          mode === 'new'
            ? await linkNew(this.#temporary, this.#path)
            : await replace(this.#temporary, this.#path)
        if (fsync && created) await syncFolder(dirname(this.#path))
        return created
      } catch (error) {
        if (attempt === nameAttempts || !hasErrno(error, 'ENOENT')) throw error
      }
    }
  }

  async abort(): Promise<void> {
    this.#open = false
    await this.#discard()
  }

  /** Never rejects: what cannot be removed now is swept when the store is opened again. */
  async #discard(): Promise<void> {
    await this.#file.close().catch(() => {})
    await rm(this.#temporary, { force: true }).catch(() => {})
  }

  #mustBeOpen(): void {
    if (!this.#open)
      throw new RunError('INTERNAL', `the writer of ${this.#target.key} is closed, or a write has failed`)
  }
}

async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) return false
    if (!hasErrno(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error
    throw new RunError(
      'SINK_INVALID',
      `the file system of ${to} has no hard links, and a file that must be new is named by one`,
      { file: to, hint: 'choose a storage.url on another file system (ext4, xfs, apfs), or S3' },
      error,
    )
  }
}

async function replace(from: string, to: string): Promise<boolean> {
  await rename(from, to)
  return true
}
