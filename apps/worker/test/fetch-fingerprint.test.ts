import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadProject, type TableJob, type TableSpec } from '@huntfleet/contract'
import { vocabulary } from '@huntfleet/engine'
import { expect, onTestFinished, test } from 'vitest'
import { fetchFingerprint } from '../src/fetch-fingerprint.ts'
import { oneTable, runJob } from './fakes.ts'

async function projectOf(url = 'https://mcp.example/') {
  const folder = await mkdtemp(join(tmpdir(), 'fingerprint-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const auth = 'auth: { type: bearer, token: { env: TOKEN } }'
  const server = `mcp_servers:\n  files: { remote: { url: "${url}", ${auth} } }\n`
  await writeFile(join(folder, 'huntfleet.yaml'), server)
  return (await loadProject({ vocabulary, workingDirectory: folder })).project
}

async function jobOf(runId: string, more: Partial<TableSpec> = {}): Promise<TableJob> {
  const job = runJob(runId)
  const context = {
    signal: AbortSignal.timeout(10_000),
    attempt: 1,
    lastAttempt: true,
    log: async () => {},
    executing: async () => {},
  }
  const [spec] = (await oneTable.plan(job, context)).specs
  if (spec === undefined) throw new Error('no spec')
  return {
    v: 1,
    runId,
    spec: { ...spec, ...more },
    storage: job.storage,
    retry: 1,
    deadlineAt: null,
    budget: { maxBytes: null, maxPages: null, maxCalls: null },
  }
}
const env = { TOKEN: 'token-of-the-source' }

test('is the same for the same fetch of another run, strategy and table', async () => {
  const project = await projectOf()
  const other = await jobOf('dns.2', {
    strategy: 'other',
    table: 'other',
    dataPrefix: 'other',
    optional: true,
  })
  expect(await fetchFingerprint(other, project, env)).toBe(
    await fetchFingerprint(await jobOf('dns.1'), project, env),
  )
})

test('differs with arguments, columns, limits, server and secrets', async () => {
  const project = await projectOf()
  const job = await jobOf('dns.1')
  const fetches = job.spec.fetches.map((fetch) => ({ ...fetch, args: { since: '2026-11-30' } }))
  const words = [
    await fetchFingerprint(job, project, env),
    await fetchFingerprint({ ...job, spec: { ...job.spec, fetches } }, project, env),
    await fetchFingerprint({ ...job, spec: { ...job.spec, onReject: 'drop_row' } }, project, env),
    await fetchFingerprint(
      { ...job, spec: { ...job.spec, budget: { ...job.spec.budget, maxRows: 1 } } },
      project,
      env,
    ),
    await fetchFingerprint({ ...job, storage: { ...job.storage, url: 'file:///elsewhere' } }, project, env),
    await fetchFingerprint(job, await projectOf('https://other.example/'), env),
    await fetchFingerprint(job, project, { TOKEN: 'token-of-another' }),
  ]
  expect(new Set(words).size).toBe(words.length)
  expect(words.join()).not.toContain('token')
})
