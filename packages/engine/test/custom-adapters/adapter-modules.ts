import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openAdapters } from '../../src/custom-adapters/open-adapters.ts'
import type { FormatContext } from '../../src/format.ts'
import type { Logger } from '../../src/ports.ts'
import { systemClock } from '../../src/system-clock.ts'
import { contextOf } from '../formats/format-context.ts'

/** What the adapters of a test printed. */
export const printed: string[] = []

const logger: Logger = {
  debug: (_, fields) => void printed.push(String(fields?.['said'])),
  info: () => {},
  warn: () => {},
  error: () => {},
}

const opened: { close(): Promise<void> }[] = []
const folders: string[] = []

afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()))
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })))
})

/** Adapters whose modules hold these sources, by file name; each goes by that name without its ending. */
export async function adaptersOf(sources: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-adapters-'))
  folders.push(folder)
  for (const [file, source] of Object.entries(sources)) await writeFile(join(folder, file), source)
  const custom = openAdapters({
    adapters: Object.fromEntries(
      Object.keys(sources).map((file) => [file.replace(/\.\w+$/, ''), `./${file}`]),
    ),
    folder,
    builtIn: ['tabular_text'],
    env: {},
    clock: systemClock,
    logger,
    memoryMb: 64,
  })
  opened.push(custom)
  return custom
}

/** The one adapter of this source, called `mine`, and its parser. */
export async function adapterOf(source: string, file = 'mine.ts') {
  const custom = await adaptersOf({ [file]: source })
  const parser = custom.parsers['mine']
  if (parser === undefined) throw new Error('the adapter is called mine')
  return {
    custom,
    parse: async (text: string, context: FormatContext = contextOf([])) => parser(text, context),
  }
}
