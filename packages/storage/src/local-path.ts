import type { Stats } from 'node:fs'
import { lstat, mkdir, open, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RunError } from '@huntfleet/contract'
import { hasErrno } from './local-errors.ts'
import { printable } from './printable.ts'

/**
 * Paths below a store's root. Every component is looked at before it is used, since a link planted below the root
 * would lead reads and writes out of it (SPEC section 16.6). This stops links that were planted, not someone who swaps
 * folders for links at the very moment: folders are 0700, so that only the same user could.
 */

/** What stands at `path` (relative, `/`-separated, as a checked key) or null; throws SINK_DENIED at the first link. */
export async function statBelow(root: string, path: string): Promise<Stats | null> {
  let here = root
  let found: Stats | null = null
  for (const segment of path.split('/')) {
    here = join(here, segment)
    found = await lstatOrNull(here)
    if (found === null) return null
    refuseLink(found, here)
  }
  return found
}

/** Makes the folder and those above it, private to the user; throws SINK_DENIED at the first link. */
export async function ensureFolder(root: string, path: string, fsync: boolean): Promise<void> {
  let here = root
  for (const segment of path.split('/')) {
    here = join(here, segment)
    await ensureOne(here, fsync)
  }
}

/** Removes the folders that a key's file has left empty, the root excepted. */
export async function removeEmptyFolders(root: string, key: string): Promise<void> {
  for (let folder = dirname(key); folder !== '.'; folder = dirname(folder)) {
    try {
      await rmdir(join(root, folder))
    } catch (error) {
      if (hasErrno(error, 'ENOTEMPTY', 'EEXIST')) return
      // Somebody else removes the same folders.
      if (!hasErrno(error, 'ENOENT')) throw error
    }
  }
}

/** Makes the entries of a folder survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Throws SINK_DENIED if `stats` are those of a symbolic link. */
export function refuseLink(stats: Pick<Stats, 'isSymbolicLink'>, path: string): void {
  if (!stats.isSymbolicLink()) return
  throw new RunError(
    'SINK_DENIED',
    `${printable(path)} is a symbolic link, and links below the storage are never followed`,
    {
      file: path,
      hint: 'remove the link; to keep the data elsewhere, let storage.url itself name that folder',
    },
  )
}

async function ensureOne(path: string, fsync: boolean): Promise<void> {
  const found = await lstatOrNull(path)
  if (found !== null) return refuseLink(found, path)
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    // Another writer was quicker; whatever it made is looked at again when it is used.
    if (!hasErrno(error, 'EEXIST')) throw error
    return refuseLink(await lstat(path), path)
  }
  if (fsync) await syncFolder(dirname(path))
}

async function lstatOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}
