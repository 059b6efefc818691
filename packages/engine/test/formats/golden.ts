import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Format } from '../../src/format.ts'
import { contextOf } from './format-context.ts'
import { plainRows } from './parsed-page.ts'

/** What stands beside a text whose reading needs more than the defaults. */
const optionsSchema = z.strictObject({
  wanted: z.array(z.string()).optional(),
  csv: z
    .strictObject({ delimiter: z.string(), comment: z.string().nullable(), header: z.boolean() })
    .optional(),
})

/**
 * Every `NAME.txt` in `test/golden/<format>` must be read as `NAME.json` says; `NAME.options.json` sets the wanted
 * fields and csv options. `UPDATE_GOLDEN=1` writes the outputs anew: read the difference before you keep it.
 */
export function testGolden(name: string, format: Format): void {
  const folder = join(import.meta.dirname, '..', 'golden', name)
  const texts = readdirSync(folder).filter((file) => file.endsWith('.txt'))
  test.each(texts)('reads the golden text %s', (file) => {
    const base = join(folder, file.slice(0, -'.txt'.length))
    const optionsFile = `${base}.options.json`
    const given: unknown = existsSync(optionsFile) ? JSON.parse(readFileSync(optionsFile, 'utf8')) : {}
    const { wanted = [], csv } = optionsSchema.parse(given)
    const page = format(
      readFileSync(`${base}.txt`, 'utf8'),
      contextOf(wanted, csv === undefined ? {} : { csv }),
    )
    const output = { ...page, rows: plainRows(page), envelope: page.envelope ?? null }
    if (process.env['UPDATE_GOLDEN'] === '1')
      writeFileSync(`${base}.json`, `${JSON.stringify(output, null, 2)}\n`)
    expect(output).toEqual(JSON.parse(readFileSync(`${base}.json`, 'utf8')))
  })
}
