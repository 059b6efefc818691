import { RunError } from '@huntfleet/contract'
import { printable } from './printable.ts'

/** S3's limit for a key, in bytes of UTF-8; the store's prefix counts too. */
const maxKeyBytes = 1024
/** The limit of common file systems for one name; keys must fit both kinds of store. */
const maxSegmentBytes = 255

/** Where a local store keeps unfinished files; no key may reach it. */
export const temporaryFolder = '.tmp'

/** Throws SINK_INVALID for a key that could leave the store's root or that one kind of store could not hold. */
export function checkKey(key: string): void {
  const fault = faultOf(key)
  if (fault !== null) throw invalidKey(key, fault)
}

/** Like `checkKey`, for the beginning of keys: the last segment may be incomplete or empty. */
export function checkKeyPrefix(prefix: string): void {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  const fault =
    folder === '' ? characterFault(prefix) : (characterFault(prefix) ?? faultOf(folder.slice(0, -1)))
  if (fault !== null) throw invalidKey(prefix, fault)
}

/** Whether `checkKey` accepts it. */
export function isKey(key: string): boolean {
  return faultOf(key) === null
}

function faultOf(key: string): string | null {
  const fault = characterFault(key)
  if (fault !== null) return fault
  if (Buffer.byteLength(key) > maxKeyBytes) return `it is longer than ${maxKeyBytes} bytes`
  const segments = key.split('/')
  if (segments[0] === temporaryFolder) return `\`${temporaryFolder}\` is where unfinished files are kept`
  for (const segment of segments) {
    if (segment === '') return 'it has an empty segment'
    if (segment === '.' || segment === '..') return `it has a segment \`${segment}\``
    if (Buffer.byteLength(segment) > maxSegmentBytes)
      return `a segment is longer than ${maxSegmentBytes} bytes`
  }
  return null
}

function characterFault(key: string): string | null {
  if (key.includes('\0')) return 'it has a NUL character'
  if (key.includes('\\')) return 'it has a backslash'
  // A lone surrogate has no UTF-8: two different keys would become the same bytes.
  return key.isWellFormed() ? null : 'it is not well-formed Unicode'
}

function invalidKey(key: string, fault: string): RunError {
  return new RunError('SINK_INVALID', `"${printable(key)}" cannot be an object key: ${fault}`, {
    hint: `keys are segments of 1 to ${maxSegmentBytes} bytes joined by "/", at most ${maxKeyBytes} bytes, without "." or ".." segments, backslashes and NUL`,
  })
}
