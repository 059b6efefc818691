import { describe, expect, test } from 'vitest'
import { contextOf } from '../formats/format-context.ts'
import { plainRow } from '../formats/parsed-page.ts'
import { adapterOf, adaptersOf, printed } from './adapter-modules.ts'

const deadline = (timeoutMs: number, signal = new AbortController().signal) => ({
  ...contextOf([]),
  deadline: { timeoutMs, signal },
})

describe('rows of a custom adapter', () => {
  test('come from a TypeScript module that gets the text and the wanted fields', async () => {
    const { parse } = await adapterOf(`
      interface Field { source: string; column: string; type: string }
      export default (text: string, fields: Field[]) =>
        text.split('\\n').map((line) => ({ line, wanted: fields.map((f) => f.source).join('+') }))`)
    const page = await parse('a\nb', contextOf(['host', 'user']))
    expect(page.rows.map(plainRow)).toEqual([
      { line: 'a', wanted: 'host+user' },
      { line: 'b', wanted: 'host+user' },
    ])
    expect(page).toMatchObject({ items: 2, rejects: [], remainder: '', truncation: null })
  })

  test.each([
    ['a promise of rows', 'export default async (text) => [{ text }]'],
    ['a generator', 'export default function* (text) { yield { text } }'],
    ['a Set', 'export const adapter = (text) => new Set([{ text }])'],
    ['Maps', 'export default (text) => [new Map([["text", text]])]'],
  ])('may be %s, of a JavaScript module', async (_, source) => {
    const { parse } = await adapterOf(source, 'mine.mjs')
    expect((await parse('x')).rows.map(plainRow)).toEqual([{ text: 'x' }])
  })

  test('keep dates, long integers, bytes, hostile keys and broken characters in the JSON form that columns read', async () => {
    const { parse } = await adapterOf(`
      const hostile = JSON.parse('{"__proto__": {"polluted": true}}')
      export default () => [{
        at: new Date(0), big: 9007199254740993n, bytes: new Uint8Array([1, 255]), none: undefined, nan: NaN,
        text: '\\ud800', nested: { deep: [new Map([['k', 1n]])] },
      }, hostile]`)
    const page = await parse('x')
    expect(page.rejects).toEqual([])
    expect(page.rows.map(plainRow)[0]).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      big: { number: '9007199254740993' },
      bytes: '0x01ff',
      nan: 'NaN',
      text: '\ufffd',
      nested: { deep: [{ k: 1 }] },
    })
    expect([...(page.rows[1]?.keys() ?? [])]).toEqual(['__proto__'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('that are none, or hold what has no JSON form, are rejects that say so', async () => {
    const { parse } = await adapterOf(`
      const self = {}; self.self = self
      export default () => [{ ok: 1 }, 'text', ['a'], null, { f: () => 1 }, { deep: { s: Symbol('s') } },
        { late: Promise.resolve(1) }, { never: new Date(NaN) }, self]`)
    const page = await parse('x')
    expect(page.rows.map(plainRow)).toEqual([{ ok: 1 }])
    expect(page.items).toBe(9)
    expect(page.rejects.map(({ row, reason, stored }) => [row, reason, stored])).toEqual([
      [2, 'the row is a string, not an object', false],
      [3, 'the row is a list, not an object', false],
      [4, 'the row is null, not an object', false],
      [5, 'its value f is a function', false],
      [6, 'its value deep is a symbol', false],
      [7, 'its value late is a Promise', false],
      [8, 'its value never is a Date without a time', false],
      [9, 'a value that contains itself is not JSON', false],
    ])
    expect(page.rejects[0]?.raw).toBe('"text"')
  })

  test('nest 20,000 levels deep without a crash', async () => {
    const { parse } = await adapterOf(
      'export default () => { let v = 1; for (let i = 0; i < 20000; i++) v = [v]; return [{ v }] }',
    )
    expect((await parse('x')).rows).toHaveLength(1)
  })

  test('leave a short text to the text rules when there are none, and a long one not', async () => {
    const { parse } = await adapterOf('export default () => []')
    expect(await parse('no such index')).toMatchObject({ items: 0, remainder: 'no such index' })
    expect(await parse('rate limit\n'.repeat(50))).toMatchObject({ items: 0, remainder: '' })
  })
})

describe('errors of a custom adapter', () => {
  test('are told with its own words, file and line', async () => {
    const { parse } = await adapterOf(`
export default (text: string) => {
  throw new TypeError('line 7 has no host')
}`)
    await expect(parse('x')).rejects.toMatchObject({
      code: 'PARSE_FAILED',
      message: 'adapter mine: line 7 has no host',
      context: { file: './mine.ts', line: 3, column: 9, hint: expect.stringContaining('adapter test mine') },
    })
  })

  test.each([
    ['something else than rows', 'export default () => ({ rows: [] })', 'the adapter returned an object'],
    ['a text', 'export default (text) => text', 'the adapter returned a string'],
    ['a thrown text', 'export default () => { throw "no" }', 'adapter mine: no'],
    ['the end of its thread', 'export default () => process.exit(0)', 'it ended its thread'],
  ])('say %s', async (_, source, message) => {
    const { parse } = await adapterOf(source)
    await expect(parse('x')).rejects.toMatchObject({
      code: 'PARSE_FAILED',
      message: expect.stringContaining(message),
    })
  })

  test('end a thread that hangs, fail that call only, and begin anew', async () => {
    const { parse } = await adapterOf(
      'export default (text) => { while (text === "hang"); return [{ text }] }',
    )
    const calls = await Promise.allSettled([parse('a'), parse('hang', deadline(300)), parse('b')])
    expect(calls.map((call) => call.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(calls[1]).toMatchObject({
      reason: { code: 'PARSE_FAILED', message: expect.stringContaining('did not finish within 0.3 s') },
    })
  })

  test('end a thread that needs too much memory', async () => {
    const { parse } = await adapterOf(
      'export default (text) => { const all = []; for (;;) all.push(Array.from({ length: 1e5 }, (_, i) => i + text)) }',
    )
    await expect(parse('x')).rejects.toMatchObject({
      code: 'PARSE_FAILED',
      message: expect.stringContaining('more than 64 MiB of memory'),
    })
    expect((await (await adapterOf('export default () => [{ a: 1 }]')).parse('x')).items).toBe(1)
  })

  test('survive what an adapter leaves behind between calls', async () => {
    const { parse } = await adapterOf(
      'let n = 0; export default () => { setTimeout(() => { throw new Error("later") }, 50); return [{ n: ++n }] }',
    )
    const callsOfThread = async () => (await parse('x')).rows[0]?.get('n')
    await Promise.all([callsOfThread(), callsOfThread()])
    await expect.poll(callsOfThread).toBe(1)
  })

  test('give way to a cancellation at once', async () => {
    const { parse } = await adapterOf('export default () => { for (;;); }')
    const controller = new AbortController()
    const reason = new Error('cancelled by hand')
    const call = parse('x', deadline(60_000, controller.signal))
    setTimeout(() => controller.abort(reason), 50)
    await expect(call).rejects.toBe(reason)
  })
})

describe('the thread of a custom adapter', () => {
  test('is one for all calls, sees no environment and prints into the log', async () => {
    const { parse } = await adapterOf(`
      let calls = 0
      export default () => { console.log('hello from mine'); return [{ calls: ++calls, env: Object.keys(process.env).length }] }`)
    const pages = await Promise.all([parse('1'), parse('2'), parse('3')])
    expect(pages.flatMap((page) => page.rows.map(plainRow))).toEqual([
      { calls: 1, env: 0 },
      { calls: 2, env: 0 },
      { calls: 3, env: 0 },
    ])
    await expect.poll(() => printed.join('')).toContain('hello from mine')
  })

  test('is refused after it was closed', async () => {
    const { custom, parse } = await adapterOf('export default () => [{ a: 1 }]')
    await parse('x')
    await custom.close()
    await expect(parse('x')).rejects.toMatchObject({ code: 'SHUTDOWN' })
  })
})

describe('checking adapters', () => {
  test('names the module and what is wrong with it, all at once', async () => {
    const custom = await adaptersOf({
      'good.ts': 'export default () => []',
      'syntax.ts': 'export default (text: string) => {\n  const x: = 3\n}',
      'broken.mjs': 'export default () => {',
      'enums.ts': 'enum A { B }\nexport default () => []',
      'none.ts': 'export const parse = () => []',
      'throws.ts': 'throw new Error("at the top")',
      'tabular_text.ts': 'export default () => []',
    })
    const faults = await custom.check()
    const of = (name: string) => faults.find((fault) => fault.message.startsWith(`adapters.${name}:`))
    expect(faults.map((fault) => fault.code)).toEqual(Array(6).fill('PROJECT_INVALID'))
    expect(of('good')).toBeUndefined()
    expect(of('syntax')?.context).toMatchObject({ file: './syntax.ts', line: 2 })
    expect(of('broken')?.message).toContain('./broken.mjs cannot be used: Unexpected end of input')
    expect(of('enums')?.message).toContain('TypeScript enum is not supported')
    expect(of('none')?.message).toContain('the module exports no adapter')
    expect(of('none')?.message).toContain('it exports parse')
    expect(of('throws')?.context).toMatchObject({ file: './throws.ts', line: 1 })
    expect(of('tabular_text')?.message).toContain('is built in')
  })

  test('finds a module that is not there, and looks at the named ones only', async () => {
    const custom = await adaptersOf({ 'a.ts': "import './gone.ts'", 'b.ts': 'throw new Error("b")' })
    const faults = await custom.check(['a', 'unknown'])
    expect(faults.map((fault) => fault.message)).toEqual([expect.stringContaining('gone.ts')])
  })
})
