import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMasker } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import { projectSecret } from '../src/project-secret.ts'
import { projectOf } from './project-fixture.ts'
import { errorOf } from './table-run.ts'

function read(yaml: string, name = 'KEY', env: NodeJS.ProcessEnv = {}, folder = '/project') {
  const masker = createMasker([])
  return { value: projectSecret(projectOf(yaml, folder), name, env, masker), masker }
}

describe('projectSecret', () => {
  test('reads a variable, and masks it from then on', async () => {
    const { value, masker } = read('secrets: { KEY: { env: TOKEN } }', 'KEY', { TOKEN: 'correct-horse' })
    expect(await value).toBe('correct-horse')
    expect(masker.mask('it is correct-horse')).toBe('it is ***')
  })

  test('fills in variables inside of a value, and masks each', async () => {
    const { value, masker } = read('secrets: { KEY: { value: "id:$' + '{TOKEN}" } }', 'KEY', {
      TOKEN: 'correct-horse',
    })
    expect(await value).toBe('id:correct-horse')
    expect(masker.mask('correct-horse')).toBe('***')
  })

  test('reads a file of the project’s folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'huntfleet-secret-'))
    try {
      writeFileSync(join(folder, 'key.txt'), 'battery-staple\n')
      expect(await read('secrets: { KEY: { file: key.txt } }', 'KEY', {}, folder).value).toBe(
        'battery-staple',
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test.each([
    ['is not in the file', 'secrets: {}', 'KEY'],
    ['has the name of a prototype’s member', 'secrets: {}', 'constructor'],
    ['has no variable', 'secrets: { KEY: { env: TOKEN } }', 'KEY'],
    ['has no file', 'secrets: { KEY: { file: missing.txt } }', 'KEY'],
  ])('says so when a secret %s', async (_, yaml, name) => {
    expect(await errorOf(read(yaml, name).value)).toMatchObject({
      code: 'SECRET_UNSET',
      context: { hint: expect.any(String) },
    })
  })
})
