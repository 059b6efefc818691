import { describe, expect, it } from 'vitest'
import { readSecret, secretSchema } from '../src/secret.ts'
import { temporaryFolder } from './temporary-folder.ts'

const none = { env: {}, folder: '/' }

describe('a secret', () => {
  it('is exactly one of value, env, file', () => {
    for (const secret of [{ value: 'v' }, { env: 'E' }, { file: 'f' }])
      expect(secretSchema.parse(secret)).toEqual(secret)
    for (const secret of [{}, { value: 'v', env: 'E' }, { env: 'E', file: 'f' }, { vlaue: 'v' }, 'v'])
      expect(secretSchema.safeParse(secret).success).toBe(false)
  })

  it('is read from where it says', async () => {
    const folder = await temporaryFolder({ 'keys/token': 'from file\n', windows: 'x\r\n', two: 'a\n\n' })
    const origin = { env: { TOKEN: 'from env' }, folder }
    expect(await readSecret('s', { value: 'itself' }, none)).toBe('itself')
    expect(await readSecret('s', { env: 'TOKEN' }, origin)).toBe('from env')
    expect(await readSecret('s', { file: './keys/token' }, origin)).toBe('from file')
    expect(await readSecret('s', { file: `${folder}/windows` }, none)).toBe('x')
    expect(await readSecret('s', { file: 'two' }, origin)).toBe('a\n')
  })

  it.each([{}, { TOKEN: '' }])('whose variable is not set says which', async (env) => {
    await expect(readSecret('credentials.c', { env: 'TOKEN' }, { env, folder: '/' })).rejects.toMatchObject({
      code: 'SECRET_UNSET',
      message: 'credentials.c: the environment variable TOKEN is not set',
    })
  })

  it('whose file cannot be read says which', async () => {
    const folder = await temporaryFolder()
    await expect(readSecret('credentials.c', { file: 'nope' }, { env: {}, folder })).rejects.toMatchObject({
      code: 'SECRET_UNSET',
      message: `credentials.c: the secret file ${folder}/nope cannot be read`,
    })
  })
})
