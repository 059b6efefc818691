import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hasErrno } from './local-errors.ts'
import { refuseLink, statBelow } from './local-path.ts'
import { isKey, temporaryFolder } from './object-key.ts'
import type { ObjectHead } from './object-store.ts'

/**
 * The files below `root` whose keys begin with `prefix`, in byte order of their keys, as S3 lists them.
 * Throws SINK_DENIED at a symbolic link; files whose names cannot be keys are not ours and are passed over.
 */
export async function* listFiles(root: string, prefix: string): AsyncGenerator<ObjectHead> {
  const start = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  if (start !== '' && (await statBelow(root, start.slice(0, -1))) === null) return
  // Paths still to visit, the next one last; those of folders end in `/`.
  const pending = [start]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (path === '' || path.endsWith('/')) {
      const children = await childrenOf(root, path)
      for (const child of children.reverse()) if (concerns(child, prefix)) pending.push(child)
    } else {
      const head = await headOf(root, path)
      if (head !== null) yield head
    }
  }
}

/** Sorted so that a folder stands where its files' keys do: `a-b`, `a.b`, `a/b`. */
async function childrenOf(root: string, folder: string): Promise<string[]> {
  const children: Buffer[] = []
  for (const entry of await entriesOf(join(root, folder))) {
    const path = folder + entry.name
    if (path === temporaryFolder || !isKey(path)) continue
    refuseLink(entry, join(root, path))
    if (entry.isDirectory()) children.push(Buffer.from(`${path}/`))
    else if (entry.isFile()) children.push(Buffer.from(path))
  }
  return children.sort(Buffer.compare).map(String)
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    // Deleted since its parent was read, or a file where the prefix says folder.
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

function concerns(path: string, prefix: string): boolean {
  return path.startsWith(prefix) || (path.endsWith('/') && prefix.startsWith(path))
}

async function headOf(root: string, path: string): Promise<ObjectHead | null> {
  try {
    const stats = await lstat(join(root, path))
    return { key: path, bytes: stats.size, modifiedAt: Math.trunc(stats.mtimeMs) }
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return null
    throw error
  }
}
