import { createHash } from 'node:crypto'

/** A short hash that tells pages and cursors apart: 16 hex digits of SHA-256. */
export function fingerprintOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
