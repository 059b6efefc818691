import type { Manifest } from '@huntfleet/contract'

/** A manifest of a run without tables, by whose version a test knows it again. */
export function manifestOf(runId: string, version = '1', strategy = 'dns'): Manifest {
  return {
    manifest_version: 1,
    run_id: runId,
    strategy,
    version,
    hunt: null,
    status: 'complete',
    params: { days: 7 },
    scheduled_at: '2026-11-30T12:00:00Z',
    window: { start: null, end: null },
    started_at: '2026-11-30T12:00:01Z',
    finished_at: '2026-11-30T12:00:09Z',
    storage: 'file:///lake',
    huntfleet_version: '0.1.0',
    retry: 1,
    tables: {},
  }
}
