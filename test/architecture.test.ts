import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { errorCodes, huntfleetVersion } from '@huntfleet/contract'
import { adapters, formats } from '@huntfleet/engine'
import { describe, expect, test } from 'vitest'

const lines = (file: string) => readFileSync(file, 'utf8').split('\n').length - 1
const sources = globSync('{packages,apps}/*/src/**/*.ts')
const tests = globSync(['{packages,apps}/*/test/**/*.ts', 'test/**/*.ts'])

describe('size of files', () => {
  test('no source file has more than 400 lines, no test more than 500', () => {
    expect(sources.filter((file) => lines(file) > 400)).toEqual([])
    expect(tests.filter((file) => lines(file) > 500)).toEqual([])
  })

  test('half of the source files have at most 120 lines, nine of ten at most 250', () => {
    const sizes = sources.map(lines).sort((a, b) => a - b)
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(120)
    expect(sizes[Math.floor(sizes.length * 0.9)]).toBeLessThanOrEqual(250)
  })

  test('no file is named after nothing in particular', () => {
    const vague = /(?:^|\/)(?:utils?|helpers?|common|types|misc|interfaces|constants)\.ts$/
    expect([...sources, ...tests].filter((file) => vague.test(file))).toEqual([])
  })
})

describe('every extension point is tested and documented', () => {
  const names = { formats: Object.keys(formats), adapters: Object.keys(adapters) }
  const kebab = (name: string) => name.replaceAll('_', '-')

  test.each([
    ...names.formats.map((name) => ['formats', name]),
    ...names.adapters.map((name) => ['adapters', name]),
  ])('%s/%s has a test and a docs page', (kind, name) => {
    expect(existsSync(`packages/engine/test/${kind}/${kebab(name ?? '')}.test.ts`)).toBe(true)
    expect(existsSync(`docs/${kind}/${name}.md`)).toBe(true)
  })

  test.each(['none', 'offset', 'page', 'cursor', 'keyset', 'time_window'])(
    'pagination mode %s has a test and a docs page',
    (mode) => {
      expect(existsSync(`packages/engine/test/paginators/${kebab(mode)}.test.ts`)).toBe(true)
      expect(existsSync(`docs/pagination/${mode}.md`)).toBe(true)
    },
  )

  test('every error code has a section in docs/errors.md', () => {
    const page = readFileSync('docs/errors.md', 'utf8')
    expect(errorCodes.filter((code) => !page.includes(`## ${code}\n`))).toEqual([])
  })
})

describe('packages', () => {
  const folders = globSync('{packages,apps}/*')

  test.each(folders)('%s has a README of at most 40 lines and a layer tag', (folder) => {
    expect(existsSync(`${folder}/README.md`)).toBe(true)
    expect(lines(`${folder}/README.md`)).toBeLessThanOrEqual(40)
    expect(JSON.parse(readFileSync(`${folder}/turbo.json`, 'utf8')).tags).toHaveLength(1)
  })

  test('all have one version', () => {
    const versions = folders.map(
      (folder) => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).version,
    )
    expect(new Set(versions)).toEqual(new Set([huntfleetVersion]))
  })
})

test('the project names no machine, registry or neighbour folder', () => {
  const files = [
    ...sources,
    ...tests,
    ...globSync(['docs/**/*.md', '*.md', 'examples/**/*', 'scripts/**/*', 'infra/**/*']),
  ].filter(
    (file) =>
      existsSync(file) &&
      statSync(file).isFile() &&
      !file.endsWith('architecture.test.ts') &&
      /\.\w+$|scripts\//.test(file),
  )
  const foreign = /\/work\/|\.\.\/shared\/|https?:\/\/(?:registry|deb|mirror)s?\./
  expect(
    files.filter(
      (file) =>
        /\.(?:ts|md|ya?ml|json|js|mjs|sh)$|scripts\//.test(file) && foreign.test(readFileSync(file, 'utf8')),
    ),
  ).toEqual([])
})
