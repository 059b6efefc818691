import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundleSchema } from '../src/jobs.ts'
import { projectSchema } from '../src/project-schema.ts'
import { readStrategyDocuments } from '../src/strategy.ts'
import {
  findStrategyFolders,
  fromBundle,
  locateStrategy,
  readStrategy,
  toBundle,
} from '../src/strategy-folder.ts'
import { bindingWith, complaintsOf, contractWith, now, oneServer, vocabulary } from './read-documents.ts'
import { temporaryFolder } from './temporary-folder.ts'

const named = (name: string) => contractWith().replace('name: dns', `name: ${name}`)

describe('strategies below a folder', () => {
  it('are found at any depth, in order; hidden, underscored and package folders are not entered', async () => {
    const root = await temporaryFolder({
      'b/contract.yaml': '',
      'a/deep/er/contract.yaml': '',
      '.git/contract.yaml': '',
      '_drafts/contract.yaml': '',
      'node_modules/x/contract.yaml': '',
      'c/binding.yaml': '',
    })
    expect(await findStrategyFolders(root)).toEqual([join(root, 'a/deep/er'), join(root, 'b')])
  })

  it('may have a contract that is a link, as mounted configuration has', async () => {
    const root = await temporaryFolder({ '..data/contract.yaml': named('linked') })
    await mkdir(join(root, 's'))
    await symlink('../..data/contract.yaml', join(root, 's/contract.yaml'))
    expect(await locateStrategy('linked', root, '/')).toBe(join(root, 's'))
  })

  it('are none when the folder is missing', async () => {
    expect(await findStrategyFolders(join(await temporaryFolder(), 'nope'))).toEqual([])
  })

  it('are not looked for behind links that lead back', async () => {
    const root = await temporaryFolder({ 'a/contract.yaml': '' })
    await symlink(root, join(root, 'a/loop'))
    expect(await findStrategyFolders(root)).toEqual([join(root, 'a')])
  })
})

describe('a strategy is located', () => {
  const files = {
    'strategies/one/contract.yaml': named('dns'),
    'strategies/two/contract.yaml': named('"web"'),
    'strategies/three/contract.yaml': 'nothing',
  }

  it('by its folder', async () => {
    const root = await temporaryFolder(files)
    expect(await locateStrategy('strategies/one', '/nowhere', root)).toBe(join(root, 'strategies/one'))
    expect(await locateStrategy('.', '/nowhere', join(root, 'strategies/one'))).toBe(
      join(root, 'strategies/one'),
    )
  })

  it.each([
    ['dns', 'one'],
    ['web', 'two'],
    ['three', 'three'],
  ])('by the name in its contract, or that of its folder: %s', async (name, folder) => {
    const root = await temporaryFolder(files)
    expect(await locateStrategy(name, join(root, 'strategies'), root)).toBe(join(root, 'strategies', folder))
  })

  it('or the known names are listed, with a guess', async () => {
    const root = await temporaryFolder(files)
    await expect(locateStrategy('dsn', join(root, 'strategies'), root)).rejects.toMatchObject({
      code: 'STRATEGY_NOT_FOUND',
      message: expect.stringMatching(/^no strategy "dsn".*known: dns, three, web\); did you mean dns\?$/),
    })
  })

  it('only when no other has its name', async () => {
    const root = await temporaryFolder({ 'a/contract.yaml': named('dns'), 'b/contract.yaml': named('dns') })
    await expect(locateStrategy('dns', root, '/')).rejects.toMatchObject({
      code: 'STRATEGY_NOT_FOUND',
      message: `two strategies are named dns: ${join(root, 'a')} and ${join(root, 'b')}`,
      context: { hint: 'rename one of them, or give the folder instead of the name' },
    })
  })
})

describe('the documents of a strategy', () => {
  it('are named as the user sees them', async () => {
    const root = await temporaryFolder({ 's/contract.yaml': named('dns'), 's/binding.yaml': bindingWith() })
    const source = await readStrategy(join(root, 's'), root)
    expect(source).toMatchObject({
      folder: 's',
      contract: { file: 's/contract.yaml' },
      binding: { file: 's/binding.yaml' },
    })
    expect((await readStrategy(join(root, 's'), join(root, 's'))).folder).toBe('.')
  })

  it('may lack a binding, but no contract', async () => {
    const root = await temporaryFolder({ 's/contract.yaml': named('dns') })
    expect((await readStrategy(join(root, 's'), root)).binding).toBeNull()
    await expect(readStrategy(root, root)).rejects.toMatchObject({
      code: 'STRATEGY_NOT_FOUND',
      message: expect.stringMatching(/^cannot read contract\.yaml: /),
    })
  })

  it('have hashes that tell every change', async () => {
    const root = await temporaryFolder({
      'a/contract.yaml': named('dns'),
      'b/contract.yaml': named('dns'),
      'c/contract.yaml': `${named('dns')}#`,
    })
    const hashOf = async (folder: string) => (await readStrategy(join(root, folder), root)).hashes.contract
    expect(await hashOf('a')).toMatch(/^[0-9a-f]{64}$/)
    expect(await hashOf('a')).toBe(await hashOf('b'))
    expect(await hashOf('a')).not.toBe(await hashOf('c'))
  })

  it('survive a job payload', async () => {
    const root = await temporaryFolder({
      's/contract.yaml': named('dns'),
      's/binding.yaml': bindingWith('    max_rows: 7\n'),
    })
    const bundle = bundleSchema.parse(
      JSON.parse(JSON.stringify(toBundle(await readStrategy(join(root, 's'), root)))),
    )
    const context = { project: projectSchema(vocabulary).parse(oneServer), vocabulary, now }
    const { strategy, findings } = readStrategyDocuments(fromBundle(bundle), context)
    expect(findings).toEqual([])
    expect(strategy?.binding?.sources.get('events')?.[0]?.binding.max_rows).toBe(7)
  })
})

describe('an overlay of the binding', () => {
  const read = async (files: Record<string, string>, overlay = 'prod') => {
    const root = await temporaryFolder({ 'contract.yaml': named('dns'), ...files })
    const source = await readStrategy(root, root, overlay)
    const context = { project: projectSchema(vocabulary).parse(oneServer), vocabulary, now }
    return { source, ...readStrategyDocuments(source, context) }
  }

  it('is laid over it, and counts in its hash', async () => {
    const files = {
      'binding.yaml': bindingWith('    max_rows: 7\n'),
      'binding.prod.yaml': 'source_bindings: {events: {max_rows: 8}}\n',
    }
    const { strategy, source } = await read(files)
    expect(strategy?.binding?.sources.get('events')?.[0]?.binding).toMatchObject({
      max_rows: 8,
      mcp_server: 'logs',
    })
    expect(source.hashes.binding).not.toBe((await read(files, 'other')).source.hashes.binding)
  })

  it('is named where it is wrong, and the binding where that is', async () => {
    const files = {
      'binding.yaml': bindingWith('    max_rows: x\n'),
      'binding.prod.yaml': 'source_bindings: {events: {timeout: 5}}\n',
    }
    expect(complaintsOf((await read(files)).findings)).toEqual([
      expect.stringMatching(/^error binding\.yaml:6:15 source_bindings\.events\.max_rows: "x"/),
      expect.stringMatching(/^error binding\.prod\.yaml:1:37 source_bindings\.events\.timeout: 5/),
    ])
  })

  it('may be the only binding, or missing', async () => {
    expect((await read({ 'binding.prod.yaml': bindingWith() })).strategy?.binding?.sources.size).toBe(1)
    expect((await read({ 'binding.yaml': bindingWith() })).strategy?.binding?.sources.size).toBe(1)
  })
})
