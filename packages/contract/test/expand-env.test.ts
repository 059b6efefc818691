import { describe, expect, it } from 'vitest'
import { expandEnv } from '../src/expand-env.ts'

/** `${text}`, which the linter takes for a mistake in a plain string. */
const ref = (text: string) => ['$', `{${text}}`].join('')

describe('references to the environment', () => {
  it.each<[string, NodeJS.ProcessEnv, string]>([
    [ref('A'), { A: 'x' }, 'x'],
    [`a ${ref('A')} b ${ref('B')}`, { A: '1', B: '2' }, 'a 1 b 2'],
    [ref('A:-fallback'), {}, 'fallback'],
    [ref('A:-redis://127.0.0.1:6379'), {}, 'redis://127.0.0.1:6379'],
    [ref('A:-'), {}, ''],
    [ref('A:-x'), { A: '' }, 'x'],
    [ref('A'), { A: ref('B'), B: 'no' }, ref('B')],
    ['$A {A} $', {}, '$A {A} $'],
    [ref('1A'), {}, ref('1A')],
  ])('%s with %j is %j', (text, env, expected) => {
    expect(expandEnv(text, env, 'x').value).toBe(expected)
  })

  it('are filled at any depth, in values only, and in a copy', () => {
    const value = { [ref('A')]: [{ b: ref('A') }, 5, true, null] }
    expect(expandEnv(value, { A: 'x' }, 'at').value).toEqual({ [ref('A')]: [{ b: 'x' }, 5, true, null] })
    expect(value[ref('A')]?.[0]).toEqual({ b: ref('A') })
  })

  it('cannot change the structure of a file', () => {
    expect(expandEnv({ a: ref('A') }, { A: '{b: 1}\nc: 2' }, 'at').value).toEqual({ a: '{b: 1}\nc: 2' })
  })

  it('that came from the environment are told, defaults are not', () => {
    expect(expandEnv([ref('A'), ref('B:-d')], { A: 'x' }, 'at').expanded).toEqual([{ name: 'A', value: 'x' }])
  })

  it.each([{}, { TOKEN: '' }])('without a value and a default are an error that says where', (env) => {
    expect(() => expandEnv({ headers: [{ k: ref('TOKEN') }] }, env, 'mcp_servers.s')).toThrow(
      expect.objectContaining({
        code: 'SECRET_UNSET',
        message: 'mcp_servers.s.headers[0].k: the environment variable TOKEN is not set and has no default',
        context: expect.objectContaining({ hint: `set TOKEN, or write ${ref('TOKEN:-default')}` }),
      }),
    )
  })
})
