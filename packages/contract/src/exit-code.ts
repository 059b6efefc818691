import { exitCodeOf } from './error-codes.ts'
import type { Manifest } from './manifest.ts'

/** The exit code that a run's manifest means (SPEC section 14). */
export function exitCodeOfRun(manifest: Pick<Manifest, 'status' | 'tables'>): number {
  switch (manifest.status) {
    case 'complete':
      return 0
    case 'cancelled':
      return 130
    case 'failed': {
      const first = Object.values(manifest.tables).find(
        (table) => table.outcome === 'failed' && table.error !== null,
      )
      // A run that demands whole tables fails with tables that have files: what is missing is data.
      return first?.error == null ? 4 : exitCodeOf(first.error.code)
    }
    case 'lost':
      return exitCodeOf('RUN_LOST')
    default:
      return 5
  }
}
