import { createHash, randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ObjectStore } from '../src/object-store.ts'

const text = (value: string): Uint8Array => Buffer.from(value)
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys
}

/** The content of an object as text; null when there is none. */
export async function textOf(store: ObjectStore, key: string): Promise<string | null> {
  const bytes = await store.get(key)
  return bytes === null ? null : Buffer.from(bytes).toString()
}

/** What every `ObjectStore` must do; `openStore` hands out the same store each time, and tests keep to folders of their own. */
export function objectStoreSuite(openStore: () => ObjectStore): void {
  const fresh = (): { store: ObjectStore; folder: string } => ({
    store: openStore(),
    folder: `t/${randomUUID()}`,
  })

  describe('put and get', () => {
    it('gives back what was stored, with its size and SHA-256', async () => {
      const { store, folder } = fresh()
      const body = text('hunt')
      const stored = await store.put(`${folder}/a`, body)
      expect(stored).toEqual({ key: `${folder}/a`, bytes: 4, sha256: sha256(body), created: true })
      expect(await textOf(store, `${folder}/a`)).toBe('hunt')
      const head = await store.head(`${folder}/a`)
      expect(head).toMatchObject({ key: `${folder}/a`, bytes: 4 })
      expect(Math.abs(Date.now() - (head?.modifiedAt ?? 0))).toBeLessThan(60_000)
    })

    it('gives back any bytes under any key it accepts', async () => {
      const { store, folder } = fresh()
      const name = fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
        .filter((it) => !/[/\\\0]|^\.+$/.test(it))
      const law = fc.asyncProperty(name, fc.uint8Array({ maxLength: 50 }), async (segment, body) => {
        await store.put(`${folder}/${segment}`, body)
        expect(Buffer.from((await store.get(`${folder}/${segment}`)) ?? [])).toEqual(Buffer.from(body))
        await store.delete(`${folder}/${segment}`)
      })
      await fc.assert(law, { numRuns: 10 })
    })

    it('keeps keys apart that need escaping somewhere', async () => {
      const { store, folder } = fresh()
      const names = [
        'a b+c',
        'a%20b',
        '100%41',
        'it\'s "q"',
        '<a>&amp;',
        'ünï',
        'dt=2026-11-30',
        '#?',
        '~!*()',
        '-',
        '...',
      ]
      for (const name of names) await store.put(`${folder}/${name}`, text(name))
      for (const name of names) expect(await textOf(store, `${folder}/${name}`)).toBe(name)
      expect((await keysOf(store, `${folder}/`)).sort()).toEqual(
        names.map((name) => `${folder}/${name}`).sort(),
      )
    })

    it('replaces an object when it is not told otherwise', async () => {
      const { store, folder } = fresh()
      await store.put(`${folder}/a`, text('first'))
      expect((await store.put(`${folder}/a`, text('second'))).created).toBe(true)
      expect(await textOf(store, `${folder}/a`)).toBe('second')
    })

    it.each([
      ['in the middle', { start: 2, length: 3 }, '234'],
      ['over the end', { start: 8, length: 5 }, '89'],
      ['at the end', { start: 10, length: 5 }, ''],
      ['after the end', { start: 99, length: 1 }, ''],
      ['without length', { start: 3, length: 0 }, ''],
    ])('reads a range %s', async (_, range, expected) => {
      const { store, folder } = fresh()
      await store.put(`${folder}/digits`, text('0123456789'))
      expect(String(Buffer.from((await store.get(`${folder}/digits`, range)) ?? text('null')))).toBe(expected)
    })

    it('refuses a range that is no range', async () => {
      const { store, folder } = fresh()
      for (const range of [
        { start: -1, length: 1 },
        { start: 0, length: 1.5 },
        { start: Number.NaN, length: 1 },
      ]) {
        await expect(store.get(`${folder}/a`, range)).rejects.toMatchObject({ code: 'SINK_INVALID' })
      }
    })

    it('answers null for what is not there, folders included', async () => {
      const { store, folder } = fresh()
      await store.put(`${folder}/folder/a`, text('x'))
      for (const key of [`${folder}/missing`, `${folder}/folder`, `${folder}/folder/a/below`]) {
        expect(await store.get(key)).toBeNull()
        expect(await store.get(key, { start: 0, length: 0 })).toBeNull()
        expect(await store.head(key)).toBeNull()
      }
    })

    it('deletes, also what is not there', async () => {
      const { store, folder } = fresh()
      await store.put(`${folder}/a`, text('x'))
      await store.delete(`${folder}/a`)
      await store.delete(`${folder}/a`)
      expect(await store.head(`${folder}/a`)).toBeNull()
    })
  })

  describe('createOnly', () => {
    it('leaves the first object as it is', async () => {
      const { store, folder } = fresh()
      expect((await store.put(`${folder}/m`, text('first'), { createOnly: true })).created).toBe(true)
      expect((await store.put(`${folder}/m`, text('other'), { createOnly: true })).created).toBe(false)
      expect(await textOf(store, `${folder}/m`)).toBe('first')
    })

    it('has one winner among ten racers, and its content stays', async () => {
      const { store, folder } = fresh()
      const racers = Array.from({ length: 10 }, (_, racer) =>
        store.put(`${folder}/m`, text(`racer ${racer}`), {
          createOnly: true,
          metadata: { attempt: `a${racer}` },
        }),
      )
      const results = await Promise.all(racers)
      expect(results.filter(({ created }) => created)).toHaveLength(1)
      const winner = results.findIndex(({ created }) => created)
      expect(await textOf(store, `${folder}/m`)).toBe(`racer ${winner}`)
    })

    it('is atomic where the store says so', async () => {
      expect(await fresh().store.conditionalWrites()).toBe('supported')
    })
  })

  describe('list', () => {
    it('goes in byte order, over folders and beyond the ASCII range', async () => {
      const { store, folder } = fresh()
      const names = [
        'a',
        'a-b',
        'a.b',
        'aa/b',
        'a0',
        'A',
        'b/c/d',
        'b/c.d',
        'b/c',
        'é',
        '\u{ffee}',
        '\u{1f600}',
      ]
      // A local store cannot have a file `b/c` beside a folder `b/c`.
      const possible = names.filter((name) => name !== 'b/c')
      for (const name of possible) await store.put(`${folder}/${name}`, text(name))
      const bytewise = possible
        .map((name) => Buffer.from(`${folder}/${name}`))
        .sort(Buffer.compare)
        .map(String)
      expect(await keysOf(store, `${folder}/`)).toEqual(bytewise)
    })

    it('takes any beginning of a key as prefix', async () => {
      const { store, folder } = fresh()
      for (const name of ['run=1/m.json', 'run=10/m.json', 'run=2/m.json'])
        await store.put(`${folder}/${name}`, text('x'))
      expect(await keysOf(store, `${folder}/run=1`)).toEqual([
        `${folder}/run=1/m.json`,
        `${folder}/run=10/m.json`,
      ])
      expect(await keysOf(store, `${folder}/run=1/`)).toEqual([`${folder}/run=1/m.json`])
      expect(await keysOf(store, `${folder}/run=2/m.json`)).toEqual([`${folder}/run=2/m.json`])
      expect(await keysOf(store, `${folder}/none/`)).toEqual([])
      expect(await keysOf(store, '')).toEqual(expect.arrayContaining([`${folder}/run=2/m.json`]))
    })

    it('tells size and time of every object', async () => {
      const { store, folder } = fresh()
      await store.put(`${folder}/a`, text('12345'))
      const head = await store.head(`${folder}/a`)
      for await (const listed of store.list(folder)) {
        expect(listed).toMatchObject({ key: `${folder}/a`, bytes: 5 })
        // HTTP's dates have whole seconds, those of a listing have more.
        expect(Math.abs(listed.modifiedAt - (head?.modifiedAt ?? 0))).toBeLessThan(1000)
      }
    })
  })

  describe('create', () => {
    it('shows nothing before the commit and everything after it', async () => {
      const { store, folder } = fresh()
      const writer = await store.create(`${folder}/t.parquet`)
      await writer.write(text('rows'))
      expect(await store.get(`${folder}/t.parquet`)).toBeNull()
      expect(await keysOf(store, folder)).toEqual([])
      const stored = await writer.commit()
      expect(stored).toEqual({ key: `${folder}/t.parquet`, bytes: 4, sha256: sha256(text('rows')) })
      expect(await textOf(store, `${folder}/t.parquet`)).toBe('rows')
      await writer.abort()
      expect(await textOf(store, `${folder}/t.parquet`)).toBe('rows')
    })

    it('stores 20 MB that come in uneven pieces', async () => {
      const { store, folder } = fresh()
      const whole = Buffer.alloc(20_000_003, 'The quick brown fox. ')
      whole.writeUInt32LE(0xfeedbeef, 17_000_000)
      const writer = await store.create(`${folder}/big`)
      for (let at = 0, size = 1; at < whole.length; at += size, size = (size * 7) % 1_999_993) {
        await writer.write(whole.subarray(at, at + size))
      }
      expect(await writer.commit()).toEqual({
        key: `${folder}/big`,
        bytes: whole.length,
        sha256: sha256(whole),
      })
      const read = await store.get(`${folder}/big`)
      expect(sha256(read ?? new Uint8Array())).toBe(sha256(whole))
      const range = await store.get(`${folder}/big`, { start: 17_000_000, length: 4 })
      expect(Buffer.from(range ?? []).readUInt32LE()).toBe(0xfeedbeef)
    })

    it('stores an object without a byte', async () => {
      const { store, folder } = fresh()
      const writer = await store.create(`${folder}/empty`)
      expect((await writer.commit()).sha256).toBe(sha256(new Uint8Array()))
      expect(await store.head(`${folder}/empty`)).toMatchObject({ bytes: 0 })
    })

    it('leaves nothing behind after abort', async () => {
      const { store, folder } = fresh()
      const writer = await store.create(`${folder}/t`)
      await writer.write(text('rows'))
      await writer.abort()
      await writer.abort()
      expect(await keysOf(store, folder)).toEqual([])
      await expect(writer.write(text('more'))).rejects.toMatchObject({ code: 'INTERNAL' })
      await expect(writer.commit()).rejects.toMatchObject({ code: 'INTERNAL' })
    })

    it('refuses a key that exists', async () => {
      const { store, folder } = fresh()
      await store.put(`${folder}/t`, text('first'))
      await expect(store.create(`${folder}/t`)).rejects.toMatchObject({ code: 'SINK_INVALID' })
      expect(await textOf(store, `${folder}/t`)).toBe('first')
    })

    it('stops at an aborted signal', async () => {
      const { store, folder } = fresh()
      const controller = new AbortController()
      const writer = await store.create(`${folder}/t`, { signal: controller.signal })
      await writer.write(text('rows'))
      controller.abort()
      await expect(writer.write(text('more'))).rejects.toMatchObject({ code: 'CANCELLED' })
      await expect(writer.commit()).rejects.toMatchObject({ code: 'CANCELLED' })
      await writer.abort()
      await expect(store.put(`${folder}/t`, text('x'), { signal: controller.signal })).rejects.toMatchObject({
        code: 'CANCELLED',
      })
      expect(await keysOf(store, folder)).toEqual([])
    })
  })

  it.each([
    '',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    '../../etc/passwd',
    'a/./b',
    'a\\b',
    'a\0b',
    '.tmp/x',
    '\ud800',
    'x'.repeat(256),
    `${'y/'.repeat(600)}y`,
  ])('refuses %j as a key in every method', async (key) => {
    const { store } = fresh()
    const refused = { code: 'SINK_INVALID' }
    await expect(store.put(key, text('x'))).rejects.toMatchObject(refused)
    await expect(store.create(key)).rejects.toMatchObject(refused)
    await expect(store.get(key)).rejects.toMatchObject(refused)
    await expect(store.head(key)).rejects.toMatchObject(refused)
    await expect(store.delete(key)).rejects.toMatchObject(refused)
  })

  it.each(['../', 'a/../', 'a//', 'a\0', '/'])('refuses %j as a prefix', async (prefix) => {
    await expect(keysOf(fresh().store, prefix)).rejects.toMatchObject({ code: 'SINK_INVALID' })
  })
}
