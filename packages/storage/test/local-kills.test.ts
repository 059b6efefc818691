import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { collectGarbage } from '../src/collect-garbage.ts'
import { openLocalStore } from '../src/local-store.ts'
import { options } from './garbage.suite.ts'
import { keysOf } from './object-store.suite.ts'
import { filesOf, manifestFile, publishRun, runLayout } from './publish-run.ts'

const program = fileURLToPath(new URL('./interrupted-publisher.ts', import.meta.url))
const killed = filesOf('aaaaaaa1')
const second = filesOf('bbbbbbb2')

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-killed-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Runs a publisher; resolves with what ended it. */
async function publish(root: string, copies: string, killAt: number | null): Promise<unknown> {
  const args = ['--conditions=source', program, root, 'aaaaaaa1', copies, String(killAt)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code, signal]: unknown[] = await once(child, 'exit')
  return signal ?? code
}

/** Looks at what a publisher has left, publishes again and collects the garbage. */
async function checkLeft(root: string, when: string): Promise<void> {
  const store = await openLocalStore(root, { fsync: false })
  const visible = await keysOf(store, '')
  const published = visible.includes(manifestFile)
  for (const key of visible.filter((one) => one !== manifestFile))
    expect(Buffer.from((await store.get(key)) ?? []), `${key} ${when}`).toEqual(killed.get(key))
  const named = [...(published ? killed : second).keys()].filter((key) => !key.startsWith('_parts/'))
  if (published) expect(visible, when).toEqual(expect.arrayContaining(named))

  expect(await publishRun(store, 'bbbbbbb2'), when).toBe(!published)
  await collectGarbage(store, { ...options(), layout: runLayout })
  expect(await keysOf(store, ''), when).toEqual([...named, manifestFile].sort())
  expect(await readdir(join(root, '.tmp')), when).toEqual([])
  expect(await readdir(root), when).not.toContain('_parts')
}

it('shows nothing partial, publishes once and leaves nothing behind, whatever the step before which it ends', async () => {
  const copies = await newFolder()
  expect(await publish(await newFolder(), copies, null)).toBe(0)
  const steps = await readdir(copies)
  // Five files and what belongs to them: fewer would mean that steps are not seen.
  expect(steps.length).toBeGreaterThan(40)
  for (const step of steps) await checkLeft(join(copies, step), `before step ${step}`)
})

it.each([9, 27, 40])('does so when the process is killed before step %d', async (step) => {
  const root = await newFolder()
  expect(await publish(root, await newFolder(), step)).toBe('SIGKILL')
  await checkLeft(root, `killed before step ${step}`)
})
