import { access, mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { huntfleet, projectFolder } from '../command-line.ts'

const day = 24 * 60 * 60 * 1000

/** A file in the storage that was last written so many days ago. */
async function place(folder: string, key: string, days: number): Promise<void> {
  const path = join(folder, 'staging', key)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, 'PAR1 huntfleet.run_id PAR1')
  const time = new Date(Date.now() - days * day)
  await utimes(path, time, time)
}

const abandoned = 'strategy=dns/table=events/dt=2026-11-30/run=dns.1/aaaaaaa1.parquet'
const young = '_parts/strategy=dns/table=events/dt=2026-11-30/run=dns.1/aaaaaaa1-00000.part'

describe('huntfleet gc', () => {
  it('keeps a real run and removes what no manifest names once it is old enough', async () => {
    const folder = await projectFolder()
    const run = JSON.parse((await huntfleet(folder, 'run', 'dns', '--json')).stdout)
    for (const [key, days] of [
      [abandoned, 8],
      [young, 6],
      [`${run.tables.events.path}`.replace(/[^/]+$/, 'aaaaaaa2.parquet'), 8],
    ] as const)
      await place(folder, key, days)

    const dry = await huntfleet(folder, 'gc', '--dry-run')
    expect(dry).toMatchObject({ code: 0, stderr: '' })
    expect(dry.stdout).toMatch(/^data +strategy=dns\/.*\/aaaaaaa1\.parquet +26 +20\d\d-/m)
    expect(dry.stdout).toMatch(/^would remove 2 things, 52 bytes; nothing was removed$/m)
    expect((await huntfleet(folder, 'gc')).stdout).toMatch(/^removed 2 things, 52 bytes$/m)
    expect((await huntfleet(folder, 'gc')).stdout).toBe('nothing to remove\n')

    await access(join(folder, 'staging', run.tables.events.path))
    await access(join(folder, 'staging', young))
    await expect(access(join(folder, 'staging', abandoned))).rejects.toThrow('ENOENT')
  })

  it('prints the report as JSON', async () => {
    const folder = await projectFolder()
    await place(folder, abandoned, 8)
    const { stdout } = await huntfleet(folder, 'gc', '--json', '--older-than', '1w')
    expect(JSON.parse(stdout)).toEqual({
      storage: expect.stringMatching(/^file:.*staging$/),
      dry_run: false,
      older_than_ms: 7 * day,
      retention_ms: null,
      removed: [{ kind: 'data', key: abandoned, bytes: 26, modified_at: expect.stringMatching(/Z$/) }],
      notes: [],
    })
  })

  it('removes runs beyond storage.retention with all their files', async () => {
    const folder = await projectFolder({ files: { 'huntfleet.prod.yaml': 'storage: { retention: 30d }\n' } })
    const { run_id, tables } = JSON.parse((await huntfleet(folder, 'run', 'dns', '--json')).stdout)
    const manifest = join(folder, `staging/_runs/strategy=dns/run=${run_id}/manifest.json`)
    for (const path of [manifest, join(folder, 'staging', tables.events.path)])
      await utimes(path, new Date(Date.now() - 31 * day), new Date(Date.now() - 31 * day))
    expect((await huntfleet(folder, 'gc')).stdout).toBe('nothing to remove\n')
    expect((await huntfleet(folder, 'gc', '--env', 'prod')).stdout).toMatch(/^removed 2 things/m)
    expect(await readdir(join(folder, 'staging'))).toEqual(['.tmp'])
  })

  it.each([
    [['--older-than', 'soon'], /--older-than "soon" is not a duration/],
    [['--older-than', '3d'], /--older-than "3d" is less than 4d: a run that is under way may still need/],
    [['--older-than', '5w'], /storage\.retention is 30d, which is less than --older-than 35d/],
  ])('refuses %j', async (args, message) => {
    const folder = await projectFolder({ files: { 'huntfleet.yaml': 'storage: { retention: 30d }\n' } })
    const { code, stderr } = await huntfleet(folder, 'gc', ...args)
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  it('takes any age with --force', async () => {
    const folder = await projectFolder()
    await place(folder, abandoned, 1)
    const { stdout } = await huntfleet(folder, 'gc', '--older-than', '1h', '--force', '--out', 'staging')
    expect(stdout).toMatch(/^removed 1 thing, 26 bytes$/m)
  })
})
