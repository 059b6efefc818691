import { createHash, randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ObjectStore, StoredObject } from '../src/object-store.ts'
import { pieceKey } from '../src/piece-key.ts'
import { keysOf, textOf } from './object-store.suite.ts'

const megabyte = 1024 * 1024
const text = (value: string): Uint8Array => Buffer.from(value)

export const sha256Of = (...parts: readonly Uint8Array[]): string =>
  createHash('sha256').update(Buffer.concat(parts)).digest('hex')

/** Stores each body as a piece below `folder`. */
export async function putPieces(
  store: ObjectStore,
  folder: string,
  bodies: readonly Uint8Array[],
): Promise<StoredObject[]> {
  const pieces: StoredObject[] = []
  for (const [number, body] of bodies.entries()) {
    const { created, ...piece } = await store.put(pieceKey(folder, 'a1', number), body, { createOnly: true })
    expect(created).toBe(true)
    pieces.push(piece)
  }
  return pieces
}

/** What `ObjectStore.assemble` must do in every store. */
export function assembleSuite(openStore: () => ObjectStore): void {
  const fresh = (): { store: ObjectStore; folder: string } => ({
    store: openStore(),
    folder: `t/${randomUUID()}`,
  })

  describe('assemble', () => {
    it.each([
      ['small', [10, 0, 3], 4],
      ['large', [6 * megabyte + 1, 5 * megabyte], 70],
      ['mixed', [6 * megabyte, 5 * megabyte, 100, 9 * megabyte, 7], 0],
    ])('makes one object of %s pieces and a tail, in order', async (_, sizes, tailSize) => {
      const { store, folder } = fresh()
      const bodies = sizes.map((size, n) => Buffer.alloc(size, `piece ${n}, `))
      const tail = Buffer.alloc(tailSize, 'tail')
      const pieces = await putPieces(store, folder, bodies)
      const sha256 = sha256Of(...bodies, tail)
      const bytes = sizes.reduce((sum, size) => sum + size, tailSize)
      for (const [key, known] of [
        ['unknown', {}],
        ['known', { sha256 }],
      ] as const) {
        const stored = await store.assemble(`${folder}/${key}`, { pieces, tail, ...known })
        expect(stored).toEqual({ key: `${folder}/${key}`, bytes, sha256 })
        expect(sha256Of((await store.get(`${folder}/${key}`)) ?? text('null'))).toBe(sha256)
      }
      for (const piece of pieces) expect(await store.head(piece.key)).toMatchObject({ bytes: piece.bytes })
    })

    it('equals the pieces written one after the other, whatever they hold', async () => {
      const { store, folder } = fresh()
      const part = fc.uint8Array({ maxLength: 40 })
      let run = 0
      const law = fc.asyncProperty(fc.array(part, { maxLength: 4 }), part, async (bodies, tail) => {
        run += 1
        const pieces = await putPieces(store, `${folder}/${run}`, bodies)
        await store.assemble(`${folder}/${run}/whole`, { pieces, tail })
        expect(Buffer.from((await store.get(`${folder}/${run}/whole`)) ?? text('null'))).toEqual(
          Buffer.concat([...bodies, tail]),
        )
      })
      await fc.assert(law, { numRuns: 10 })
    })

    for (const [size, bytes] of [
      ['small', 1000],
      ['large', 5 * megabyte],
    ] as const) {
      const body = Buffer.alloc(bytes, 'rows')
      const altered = Buffer.from(body)
      altered[bytes - 1] = 0
      it.each([
        ['is missing', null],
        ['is shorter', body.subarray(1)],
        ['is longer', Buffer.concat([body, text('x')])],
        ['has another byte', altered],
        ['is empty', new Uint8Array()],
      ])(`stores nothing when a ${size} piece %s`, async (_, other) => {
        const { store, folder } = fresh()
        const pieces = await putPieces(store, folder, [body, body])
        const key = pieceKey(folder, 'a1', 1)
        if (other === null) await store.delete(key)
        else await store.put(key, other)
        for (const known of [{}, { sha256: sha256Of(body, body) }]) {
          await expect(
            store.assemble(`${folder}/whole`, { pieces, tail: text(''), ...known }),
          ).rejects.toMatchObject({ code: 'PIECE_LOST', message: expect.stringContaining(key) })
        }
        expect(await keysOf(store, `${folder}/`)).toEqual([])
      })
    }

    it('stores nothing when the caller expects another content', async () => {
      const { store, folder } = fresh()
      const pieces = await putPieces(store, folder, [text('a'), text('b')])
      const assembly = { pieces, tail: text('c'), sha256: sha256Of(text('acb')) }
      await expect(store.assemble(`${folder}/whole`, assembly)).rejects.toMatchObject({ code: 'INTERNAL' })
      expect(await keysOf(store, `${folder}/`)).toEqual([])
    })

    it('refuses a key that exists', async () => {
      const { store, folder } = fresh()
      const pieces = await putPieces(store, folder, [text('a')])
      await store.put(`${folder}/whole`, text('first'))
      await expect(store.assemble(`${folder}/whole`, { pieces, tail: text('b') })).rejects.toMatchObject({
        code: 'SINK_INVALID',
      })
      expect(await textOf(store, `${folder}/whole`)).toBe('first')
    })

    it.each([10, 5 * megabyte])('stops at an aborted signal, pieces of %d bytes', async (bytes) => {
      const { store, folder } = fresh()
      const pieces = await putPieces(store, folder, [Buffer.alloc(bytes), Buffer.alloc(bytes)])
      const controller = new AbortController()
      const options = { signal: controller.signal }
      const assembled = store.assemble(`${folder}/whole`, { pieces, tail: text('b') }, options)
      controller.abort()
      await expect(assembled).rejects.toMatchObject({ code: 'CANCELLED' })
      expect(await keysOf(store, `${folder}/`)).toEqual([])
    })

    it('refuses what cannot be a key', async () => {
      const { store, folder } = fresh()
      const piece = { key: '../a', bytes: 1, sha256: sha256Of(text('a')) }
      const refused = { code: 'SINK_INVALID' }
      await expect(store.assemble('../a', { pieces: [], tail: text('') })).rejects.toMatchObject(refused)
      await expect(store.assemble(`${folder}/a`, { pieces: [piece], tail: text('') })).rejects.toMatchObject(
        refused,
      )
      const large = { ...piece, bytes: 6 * megabyte }
      await expect(
        store.assemble(`${folder}/a`, { pieces: [large], tail: text(''), sha256: piece.sha256 }),
      ).rejects.toMatchObject(refused)
    })
  })
}
