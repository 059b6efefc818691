import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collectGarbage, type GarbageOptions } from '../src/collect-garbage.ts'
import type { ObjectStore } from '../src/object-store.ts'
import { keysOf } from './object-store.suite.ts'

export const day = 24 * 60 * 60 * 1000
const layout = 'strategy={strategy}/table={table}/dt={date}/run={run_id}'
export const folder = 'strategy=dns/table=events/dt=2026-11-30/run=dns.1'
export const runFolder = '_runs/strategy=dns/run=dns.1'

/** A Parquet file as far as anybody looks here. */
const parquet = Buffer.from('PAR1 rows huntfleet.run_id dns.1 PAR1')

/** A week and a day after all that a test has stored. */
export const options = (others: Partial<GarbageOptions> = {}): GarbageOptions => ({
  layout,
  olderThanMs: 7 * day,
  retentionMs: null,
  dryRun: false,
  now: Date.now() + 8 * day,
  ...others,
})

export async function putAll(store: ObjectStore, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await store.put(key, parquet)
}

export async function putManifest(
  store: ObjectStore,
  key: string,
  ...files: readonly string[]
): Promise<void> {
  const [path = null, rejects_path = null, ledger_path = null] = files
  const manifest = { tables: { events: { path, rejects_path, ledger_path, notes: ['1/2'], bytes: 7 } } }
  await store.put(key, Buffer.from(JSON.stringify(manifest)))
}

/** What `collectGarbage` must do in every store; `openStore` hands out an empty one; `runs` of the property. */
export function garbageSuite(openStore: () => Promise<ObjectStore>, runs: number): void {
  describe('collecting garbage', () => {
    const named = [
      `${folder}/aaaaaaa1.parquet`,
      `_rejects/${folder}/aaaaaaa1.parquet`,
      `${runFolder}/events.aaaaaaa1.ledger.ndjson`,
    ]
    const garbage = [
      `${folder}/bbbbbbb2.parquet`,
      `_parts/${folder}/bbbbbbb2-00000.part`,
      `_rejects/${folder}/bbbbbbb2.parquet`,
      `${runFolder}/events.bbbbbbb2.ledger.ndjson`,
      '.huntfleet/probe-00000000-0000-4000-8000-000000000000',
      '_started/strategy=dns/run=dns.1.json',
    ]
    const foreign = [
      'notes.txt',
      'bbbbbbb2.parquet',
      `${folder}/report.parquet`,
      `${folder}/deeper/bbbbbbb2.parquet`,
      `${folder.replace('dns.1', 'a b')}/bbbbbbb2.parquet`,
      '_other/bbbbbbb2.parquet',
    ]

    it('removes what no manifest names, and nothing else', async () => {
      const store = await openStore()
      await putAll(store, ...named, ...garbage, ...foreign)
      await putManifest(store, `${runFolder}/manifest.json`, ...named)
      const all = await keysOf(store, '')
      const told = await collectGarbage(store, options({ dryRun: true }))
      expect(await keysOf(store, '')).toEqual(all)
      const report = await collectGarbage(store, options())
      expect(report).toEqual(told)
      expect(report.notes).toEqual([])
      expect(report.removed.map(({ kind, key }) => `${kind} ${key}`).sort()).toEqual(
        ['data', 'piece', 'rejects', 'ledger', 'probe', 'note']
          .map((kind, i) => `${kind} ${garbage[i]}`)
          .sort(),
      )
      expect(report.removed.every(({ bytes }) => bytes === parquet.length)).toBe(true)
      expect(await keysOf(store, '')).toEqual(all.filter((key) => !garbage.includes(key)))
    })

    it('removes nothing younger than the given age', async () => {
      const store = await openStore()
      await putAll(store, ...garbage)
      const writer = await store.create(`${folder}/ccccccc3.parquet`)
      await writer.write(parquet)
      const young = options({ now: Date.now() + 7 * day - 60_000 })
      expect(await collectGarbage(store, young)).toEqual({ removed: [], notes: [] })
      expect((await writer.commit()).bytes).toBe(parquet.length)
    })

    it('keeps what only an earlier manifest of a run names', async () => {
      const store = await openStore()
      await putAll(store, `${folder}/aaaaaaa1.parquet`, `${folder}/aaaaaaa2.parquet`)
      await putManifest(store, `${runFolder}/manifest.json`, `${folder}/aaaaaaa1.parquet`)
      await putManifest(store, `${runFolder}/manifest.2.json`, `${folder}/aaaaaaa2.parquet`)
      expect(await collectGarbage(store, options())).toEqual({ removed: [], notes: [] })
    })

    it('keeps what manifests of a shape from the future name', async () => {
      const store = await openStore()
      await putAll(store, ...named)
      const manifest = JSON.stringify({ manifest_version: 7, parts: [{ objects: named }] })
      await store.put(`${runFolder}/manifest.json`, Buffer.from(manifest))
      expect(await collectGarbage(store, options())).toEqual({ removed: [], notes: [] })
    })

    it('stops before it removes anything at a manifest that is not JSON', async () => {
      const store = await openStore()
      await putAll(store, ...garbage)
      await store.put(`${runFolder}/manifest.json`, Buffer.from('{"tables":'))
      await expect(collectGarbage(store, options())).rejects.toMatchObject({
        code: 'SINK_INVALID',
        message: expect.stringContaining('manifest.json is not JSON'),
      })
      expect(await keysOf(store, '')).toHaveLength(garbage.length + 1)
    })

    it('leaves files alone that only bear a name like ours, and says so', async () => {
      const store = await openStore()
      const keys = [`_rejects/${folder}/filtered.parquet`, `${folder}/filtered.parquet`]
      for (const key of keys) await store.put(key, Buffer.from('PAR1 made by somebody PAR1'))
      const { removed, notes } = await collectGarbage(store, options())
      expect(removed).toEqual([])
      expect(notes).toEqual(keys.map((key) => expect.stringContaining(key)))
    })

    it('removes runs beyond the retention, manifests first and the oldest before the newest', async () => {
      const store = await openStore()
      const old = '{run_id}/aaaaaaa9.parquet'
      await putAll(store, ...named, old)
      await putManifest(store, `${runFolder}/manifest.json`, old)
      await putManifest(store, `${runFolder}/manifest.2.json`, ...named)
      await putManifest(store, `${runFolder}/manifest.10.json`, ...named)
      const retentionMs = 30 * day
      expect((await collectGarbage(store, options({ retentionMs }))).removed).toEqual([])
      const { removed } = await collectGarbage(store, options({ retentionMs, now: Date.now() + 31 * day }))
      const manifests = ['manifest.json', 'manifest.2.json', 'manifest.10.json']
      expect(removed.slice(0, 3).map(({ key }) => key)).toEqual(
        manifests.map((name) => `${runFolder}/${name}`),
      )
      expect(
        removed
          .slice(3)
          .map(({ key }) => key)
          .sort(),
      ).toEqual([...named, old].sort())
      expect(await keysOf(store, '')).toEqual([])
    })

    it('keeps runs of a hunt as long as the hunt says', async () => {
      const store = await openStore()
      const manifests = [
        'dns.20261130T120000Z',
        'dns.20261130T130000Z.2',
        'by-hand.20261130T120000Z.abc123',
      ].map((run) => `_runs/strategy=dns/run=${run}/manifest.json`)
      for (const key of manifests) await putManifest(store, key)
      const huntRetentionMs = new Map([['dns', 30 * day]])
      const at = (days: number) =>
        options({ retentionMs: 90 * day, huntRetentionMs, now: Date.now() + days * day })
      expect((await collectGarbage(store, at(29))).removed).toEqual([])
      expect((await collectGarbage(store, at(31))).removed.map(({ key }) => key)).toEqual(
        manifests.slice(0, 2),
      )
      expect((await collectGarbage(store, at(91))).removed.map(({ key }) => key)).toEqual(manifests.slice(2))
    })

    it('keeps of a run beyond the retention what another run names', async () => {
      const store = await openStore()
      const [shared = '', own = ''] = named
      await putAll(store, shared, own)
      await putManifest(store, `${runFolder}/manifest.json`, shared, own)
      // Not the name of a manifest of ours, so that it does not expire; but it names files.
      await putManifest(store, '_runs/copied/manifest.json', shared)
      await collectGarbage(store, options({ retentionMs: 7 * day }))
      expect(await keysOf(store, '')).toEqual(['_runs/copied/manifest.json', shared])
    })

    it('leaves every named object and no other one of ours, whatever was stored', async () => {
      const store = await openStore()
      const attempt = fc.constantFrom('aaaaaaa1', 'bbbbbbb2', 'ccccccc3')
      const run = fc.constantFrom('dns.1', 'dns.2')
      const file = fc
        .tuple(run, attempt)
        .map(([id, name]) => `${folder.replace('dns.1', id)}/${name}.parquet`)
      const manifest = fc.record({
        run,
        retry: fc.constantFrom('', '.2', '.3'),
        files: fc.array(file, { maxLength: 3 }),
      })
      const world = fc.record({
        files: fc.uniqueArray(file),
        manifests: fc.array(manifest, { maxLength: 4 }),
      })
      const law = fc.asyncProperty(world, async ({ files, manifests }) => {
        for (const key of await keysOf(store, '')) await store.delete(key)
        await putAll(store, ...files)
        const texts = new Map(
          manifests.map((it) => [`_runs/strategy=dns/run=${it.run}/manifest${it.retry}.json`, it.files]),
        )
        for (const [key, names] of texts) await putManifest(store, key, ...names)
        await collectGarbage(store, options())
        const kept = files.filter((key) => [...texts.values()].flat().includes(key))
        expect(await keysOf(store, '')).toEqual([...kept, ...texts.keys()].sort())
      })
      await fc.assert(law, { numRuns: runs })
    })

    it('does not take the words of a layout for a pattern', async () => {
      const store = await openStore()
      await putAll(store, 'v1.0+x/events/dns.1/bbbbbbb2.parquet', 'v1y0xx/events/dns.1/bbbbbbb2.parquet')
      const { removed } = await collectGarbage(store, options({ layout: 'v1.0+x/{table}/{run_id}' }))
      expect(removed.map(({ key }) => key)).toEqual(['v1.0+x/events/dns.1/bbbbbbb2.parquet'])
    })
  })
}
