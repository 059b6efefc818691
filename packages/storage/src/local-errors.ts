import { type ErrorCode, RunError, toRunError } from '@huntfleet/contract'
import { printable } from './printable.ts'

interface Verdict {
  code: ErrorCode
  what: string
  hint: string
}

const permissions = 'let the user that runs Huntfleet write there, or choose another storage.url'

/** What each error of the file system means and what to do (errno names of Linux and macOS). */
const verdicts: Readonly<Record<string, Verdict>> = {
  EACCES: { code: 'SINK_DENIED', what: 'permission denied', hint: permissions },
  EPERM: { code: 'SINK_DENIED', what: 'operation not permitted', hint: permissions },
  EROFS: { code: 'SINK_DENIED', what: 'the file system is read-only', hint: permissions },
  ENOSPC: { code: 'SINK_UNREACHABLE', what: 'the disk is full', hint: 'free some space, then retry the run' },
  EDQUOT: {
    code: 'SINK_UNREACHABLE',
    what: 'the disk quota is spent',
    hint: 'free some space, then retry the run',
  },
  EMFILE: {
    code: 'SINK_UNREACHABLE',
    what: 'too many open files',
    hint: 'raise the limit of open files (ulimit -n)',
  },
  ENFILE: {
    code: 'SINK_UNREACHABLE',
    what: 'too many open files',
    hint: 'raise the limit of open files (fs.file-max)',
  },
  EIO: {
    code: 'SINK_UNREACHABLE',
    what: 'the disk failed to read or write',
    hint: 'check the disk, then retry the run',
  },
  ESTALE: {
    code: 'SINK_UNREACHABLE',
    what: 'the network file system lost the file',
    hint: 'check the mount, then retry',
  },
  ENOTDIR: {
    code: 'SINK_INVALID',
    what: 'a file stands where a folder should be',
    hint: 'move that file away',
  },
  EEXIST: {
    code: 'SINK_INVALID',
    what: 'a file stands where a folder should be',
    hint: 'move that file away',
  },
  EISDIR: {
    code: 'SINK_INVALID',
    what: 'a folder stands where a file should be',
    hint: 'move that folder away',
  },
  ENAMETOOLONG: { code: 'SINK_INVALID', what: 'the path is too long', hint: 'choose a shorter storage.url' },
  EFBIG: {
    code: 'SINK_INVALID',
    what: 'the file is too large for its file system',
    hint: 'choose another storage.url',
  },
  ELOOP: { code: 'SINK_DENIED', what: 'a symbolic link stands in the way', hint: 'remove the link' },
}

/** Whether `error` is a system error with one of these codes. */
export function hasErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** An error of the file system as a `RunError` that names the path and what to do; a `RunError` stays as it is. */
export function localError(error: unknown, doing: string, path: string): RunError {
  if (error instanceof RunError) return error
  if (!(error instanceof Error && 'syscall' in error && 'code' in error))
    return toRunError(error, { file: path })
  const errno = String(error.code)
  const verdict = verdicts[errno] ?? {
    code: 'SINK_UNREACHABLE',
    what: printable(error.message),
    hint: 'check the file system, then retry the run',
  }
  const context = { file: path, hint: verdict.hint }
  return new RunError(
    verdict.code,
    `cannot ${doing} ${printable(path)}: ${verdict.what} (${errno})`,
    context,
    error,
  )
}
