import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { answersFolder, type GalleryRun, runAnswers } from './gallery-run.ts'
import { openVocabulary } from './gallery-vocabulary.ts'
import { bindingsFolder, compileTables, readProduct, specOf } from './product.ts'

const { vocabulary, close } = openVocabulary()
afterAll(close)

const expectedFolder = new URL('expected/', import.meta.url)
const expected = readdirSync(expectedFolder).map((name): [string, GalleryRun] => [
  name.replace('.json', ''),
  JSON.parse(readFileSync(new URL(name, expectedFolder), 'utf8')),
])
const products = readdirSync(bindingsFolder).flatMap(
  (name) => /^([\w-]+)\.contract\.yaml$/.exec(name)?.[1] ?? [],
)
const bindingText = (product: string) => readFileSync(new URL(`${product}.yaml`, bindingsFolder), 'utf8')

describe('an answer of the gallery', () => {
  it.each(expected)('becomes the right rows: %s', async (_, golden) => {
    const run = await runAnswers(golden.table, specOf(golden.table), golden.answers, vocabulary)
    expect(JSON.parse(JSON.stringify(run))).toEqual(golden)
  })

  it('is read by some table, every one of them', () => {
    const read = new Set(expected.flatMap(([, { answers }]) => answers))
    expect(readdirSync(answersFolder).filter((name) => !read.has(name))).toEqual([])
  })
})

describe('a binding of the gallery', () => {
  it.each(products)('is valid, without warnings, and an answer shows each of its tables: %s', (product) => {
    const { strategy, findings } = readProduct(product)
    expect(findings).toEqual([])
    if (strategy === undefined) throw new Error('no strategy')
    const { specs, settled } = compileTables(strategy)
    expect(settled).toEqual({})
    const shown = new Set(expected.map(([, { table }]) => table))
    expect(specs.map(({ table }) => `${product}.${table}`).filter((table) => !shown.has(table))).toEqual([])
  })

  it.each(products)('takes at most 12 lines per table, explained in a comment: %s', (product) => {
    const text = bindingText(product)
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../../schemas/binding.schema.json')
    const [, tables = ''] = text.split('source_bindings:\n')
    for (const table of tables.trimEnd().split('\n\n')) {
      const lines = table.split('\n')
      expect(lines[0]).toMatch(/^ {2}# \S/)
      expect(lines.filter((line) => !line.startsWith('  #')).length).toBeLessThanOrEqual(12)
    }
  })

  it('has a line in the README', () => {
    const readme = readFileSync(new URL('README.md', bindingsFolder), 'utf8')
    expect(products.filter((product) => !readme.includes(`| \`${product}.yaml\` |`))).toEqual([])
  })
})
