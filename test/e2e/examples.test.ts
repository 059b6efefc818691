import { type Manifest, manifestKey, manifestSchema } from '@huntfleet/contract'
import { startRedis, startS3 } from '@huntfleet/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { exampleWorkspace } from './fixture/example-workspace.ts'
import { firstCommitAt, gitHistory } from './fixture/git-history.ts'
import { parquetRows } from './fixture/parquet-rows.ts'
import { type S3Storage, s3Storage } from './fixture/s3-storage.ts'
import type { CommandResult, Workspace } from './fixture/workspace.ts'

/** Every example, through the queue, two worker processes and an S3 server, read back by DuckDB. */

// Every command is a process of its own; on a busy machine each takes seconds to start.
vi.setConfig({ testTimeout: 60_000 })

const redis = await startRedis()
const s3 = await startS3()
const project = ['--config', 'examples/huntfleet.yaml', '--env', 's3'] as const
const strategies = [
  'repo-inventory',
  'suspicious-dns',
  'severity-logs',
  'asset-inventory',
  'vendor-connections',
  'vendor-alerts',
  'outbound-connections',
  'auth-review',
] as const
type Strategy = (typeof strategies)[number]

const files = 60
const commits = 57

describe.skipIf(redis.skipped !== undefined || 'skipped' in s3)('the examples', () => {
  let workspace: Workspace
  let storage: S3Storage
  const results = new Map<Strategy, CommandResult>()

  beforeAll(async () => {
    if (redis.skipped !== undefined || 'skipped' in s3) return
    workspace = await exampleWorkspace()
    storage = await s3Storage(s3)
    Object.assign(workspace.env, storage.env, { REDIS_URL: redis.url })
    await gitHistory(workspace.folder, commits)
    const names = Array.from({ length: files }, (_, i) => `many-files/file-${String(i).padStart(3, '0')}.txt`)
    await workspace.write(Object.fromEntries(names.map((name, i) => [name, 'x'.repeat(i)])))
    await Promise.all([workspace.worker(...project), workspace.worker(...project)])
    // Four at a time: each is a process that compiles the whole command line.
    for (let i = 0; i < strategies.length; i += 4) {
      await Promise.all(
        strategies.slice(i, i + 4).map(async (name) => results.set(name, await enqueue(name))),
      )
    }
  })
  afterAll(async () => {
    await storage?.close()
    await workspace?.close()
  })

  const enqueue = (name: Strategy): Promise<CommandResult> => {
    const params = name === 'repo-inventory' ? ['--param', 'folder=many-files'] : []
    return workspace.huntfleet('enqueue', name, ...project, ...params, '--wait', '--json')
  }
  const resultOf = (name: Strategy): CommandResult => {
    const result = results.get(name)
    if (result === undefined) throw new Error(`${name} did not run`)
    return result
  }
  const manifestOf = (name: Strategy): Manifest => manifestSchema.parse(resultOf(name).json())
  const rowsOf = async (name: Strategy, table: string, query?: string) => {
    const path = manifestOf(name).tables[table]?.path
    const bytes = await storage.store.get(path ?? `${name} has no file for ${table}`)
    if (bytes === null) throw new Error(`there is no object ${path}`)
    return parquetRows(bytes, query)
  }
  const outcomes = (name: Strategy) =>
    Object.fromEntries(
      Object.entries(manifestOf(name).tables).map(([table, entry]) => [table, entry.outcome]),
    )

  test.for(strategies)('%s ends with the exit code of its status', (name) => {
    const status = name === 'outbound-connections' || name === 'vendor-alerts' ? 'pending' : 'complete'
    expect(manifestOf(name).status, workspace.output()).toBe(status)
    expect(resultOf(name).code).toBe(status === 'complete' ? 0 : 5)
  })

  test('repo-inventory lists a folder by cursor, page after page, each file once', async () => {
    const { files: table } = manifestOf('repo-inventory').tables
    expect(table).toMatchObject({ outcome: 'complete', rows: files, pages: 3, proof: 'end_cursor' })
    const rows = await rowsOf('repo-inventory', 'files', 'SELECT name, kind, size FROM rows ORDER BY name')
    expect(rows).toEqual(
      Array.from({ length: files }, (_, i) => ({
        name: `file-${String(i).padStart(3, '0')}.txt`,
        kind: 'file',
        size: String(i),
      })),
    )
  })

  test('repo-inventory reads a git log by offset, newest first, each commit once', async () => {
    const { commits: table } = manifestOf('repo-inventory').tables
    expect(table).toMatchObject({ outcome: 'complete', rows: commits, pages: 3, server: 'git' })
    const rows = await rowsOf(
      'repo-inventory',
      'commits',
      'SELECT subject, author, epoch(committed) AS at, len(parents) AS parents, count(*) OVER () AS n FROM rows',
    )
    expect(rows).toEqual(
      Array.from({ length: commits }, (_, i) => ({
        subject: `commit ${commits - i}`,
        author: 'Ada Example',
        at: firstCommitAt + (commits - 1 - i) * 60,
        parents: i === commits - 1 ? '0' : '1',
        n: String(commits),
      })),
    )
  })

  test('suspicious-dns pages inside the nested argument and keeps all 12,345 rows in order', async () => {
    const { suspicious_dns: table } = manifestOf('suspicious-dns').tables
    expect(table).toMatchObject({ outcome: 'complete', rows: 12_345, rejects: 0 })
    const rows = await rowsOf(
      'suspicious-dns',
      'suspicious_dns',
      `SELECT count(*) AS n, count(DISTINCT domain) AS domains, count(DISTINCT user_email) AS users,
              min(timestamp) AS first, max(timestamp) AS last,
              bool_and(domain = 'host-' || (epoch(timestamp)::BIGINT - 1796040000) || '.example') AS matched FROM rows`,
    )
    expect(rows).toEqual([
      {
        n: '12345',
        domains: '12345',
        users: '50',
        first: '2026-11-30 12:00:00',
        last: '2026-11-30 15:25:44',
        matched: true,
      },
    ])
  })

  test('severity-logs follows the cursor and keeps integers beyond 2^53', async () => {
    expect(await rowsOf('severity-logs', 'events')).toEqual([
      {
        event_id: '1',
        severity: 'high',
        src_ip: '192.0.2.1',
        dst_ip: '203.0.113.1',
        bytes: '1200',
        seen: '2026-11-30 10:00:00',
      },
      {
        event_id: '2',
        severity: 'critical',
        src_ip: '192.0.2.2',
        dst_ip: '203.0.113.2',
        bytes: '0',
        seen: '2026-11-30 10:00:00',
      },
      {
        event_id: '9007199254740993',
        severity: 'high',
        src_ip: '192.0.2.3',
        dst_ip: null,
        bytes: '18446744073709551615',
        seen: '2026-11-30 12:00:00',
      },
    ])
  })

  test('asset-inventory reads CSV with quotes, commas and empty fields', async () => {
    expect(await rowsOf('asset-inventory', 'inventory')).toEqual([
      { host_id: '1001', hostname: 'web-01', os: 'Debian 12', last_seen: '2026-11-29' },
      { host_id: '1002', hostname: 'db-01, primary', os: 'Debian 12', last_seen: '2026-11-30' },
      { host_id: '1003', hostname: 'laptop-7', os: 'Windows "11"', last_seen: '2026-10-02' },
      { host_id: '1004', hostname: 'printer-3', os: null, last_seen: null },
    ])
  })

  test('vendor-connections reads both forms of tabular_text', async () => {
    expect(await rowsOf('vendor-connections', 'outbound_connections')).toEqual([
      { endpoint_name: 'laptop-1', dst_ip: '203.0.113.10', dst_port: 443 },
      { endpoint_name: 'laptop-2', dst_ip: '203.0.113.20', dst_port: 8443 },
      { endpoint_name: 'Doe, Jane', dst_ip: '203.0.113.30', dst_port: 22 },
      { endpoint_name: "O'Brien", dst_ip: '203.0.113.40', dst_port: null },
    ])
    expect(await rowsOf('vendor-connections', 'alerts')).toEqual([
      { id: 'abc123', hostname: 'host-1', severity: 'High' },
      { id: 'def456', hostname: 'host-2', severity: 'Low' },
      { id: 'ghi789', hostname: 'host-3', severity: 'Medium' },
    ])
  })

  test('vendor-alerts maps by semantic, fetches one table and leaves the other to an agent', async () => {
    expect(outcomes('vendor-alerts')).toEqual({ alerts: 'complete', host_vulns: 'awaiting_agent' })
    expect(await rowsOf('vendor-alerts', 'alerts')).toEqual([
      { alert_id: 'al-1', alert_name: 'Beaconing', severity: 'high', ip: '198.51.100.7' },
      { alert_id: 'al-2', alert_name: 'Password spray', severity: 'medium', ip: '198.51.100.8' },
      { alert_id: 'al-3', alert_name: 'New admin', severity: 'low', ip: null },
    ])
  })

  test('outbound-connections waits for its agent, without a file and without a manifest', async () => {
    expect(outcomes('outbound-connections')).toEqual({ outbound_connections: 'awaiting_agent' })
    const { run_id: runId } = manifestOf('outbound-connections')
    const keys = await storage.keys()
    // Nothing but the note of a run that has not ended.
    const note = `_started/strategy=outbound-connections/run=${runId}.json`
    expect(keys.filter((key) => key.includes(runId))).toEqual([note])
    const shown = await workspace.huntfleet('runs', 'show', runId, ...project, '--json')
    expect(shown.json()).toMatchObject({ run_id: runId, status: 'pending' })
  })

  test('auth-review reads ndjson and a single item, and leaves out what is not to be fetched', async () => {
    expect(outcomes('auth-review')).toEqual({
      auth_events: 'complete',
      tenant: 'complete',
      risk_scores: 'native',
      watchlist: 'skipped',
    })
    expect(
      await rowsOf('auth-review', 'auth_events', 'SELECT * REPLACE (epoch_ms("at") AS "at") FROM rows'),
    ).toEqual([
      { user: 'kim', source_ip: '192.0.2.10', success: true, at: String(Date.UTC(2026, 10, 30, 8, 0, 0)) },
      {
        user: 'lee',
        source_ip: '192.0.2.11',
        success: false,
        at: String(Date.UTC(2026, 10, 30, 8, 0, 1, 500)),
      },
      { user: 'ola', source_ip: null, success: true, at: String(Date.UTC(2026, 10, 30, 8, 0, 2)) },
    ])
    expect(await rowsOf('auth-review', 'tenant')).toEqual([
      { tenant_id: '2f1c4e9a-8f1d-4a5e-9b57-0d6c3f1a2b3c', display_name: 'Example Corp', licences: 250 },
    ])
  })

  test('every run with all its tables has exactly one manifest and one object per table', async () => {
    const keys = await storage.keys()
    const expected = strategies.flatMap((name) => {
      const manifest = manifestOf(name)
      const paths = Object.values(manifest.tables).flatMap(({ path }) => (path === null ? [] : [path]))
      return manifest.status === 'complete' ? [manifestKey(name, manifest.run_id), ...paths] : paths
    })
    expect(keys.filter((key) => !/^(\.huntfleet|_started)\//.test(key)).sort()).toEqual(expected.sort())
  })

  test('every example is valid, also when its servers are asked', async () => {
    const { code, stdout } = await workspace.huntfleet('validate', '--online', ...project)
    expect(stdout).toContain('8 strategies: 0 errors, 0 warnings')
    expect(code).toBe(0)
  })
})

afterAll(async () => {
  if (redis.skipped === undefined) await redis.stop()
  if (!('skipped' in s3)) await s3.stop()
})
