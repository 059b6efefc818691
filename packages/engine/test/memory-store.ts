import { createHash } from 'node:crypto'
import { RunError } from '@huntfleet/contract'
import type { Assembly, ObjectHead, ObjectStore, ObjectWriter, StoredObject } from '@huntfleet/storage'

/** What a test may make fail, and how. */
type Step = 'create' | 'write' | 'put' | 'commit'

/** Objects in memory. */
export class MemoryStore implements ObjectStore {
  readonly url = 'memory://test'
  readonly objects = new Map<string, Uint8Array>()
  /** Writers that were neither committed nor aborted. */
  open = 0
  /** Called before each step; what it throws is the step's error. */
  before: (step: Step, key: string) => void | Promise<void> = () => {}

  async put(key: string, body: Uint8Array): Promise<StoredObject & { created: boolean }> {
    await this.before('put', key)
    const created = !this.objects.has(key)
    if (created) this.objects.set(key, body)
    return { ...stored(key, body), created }
  }

  async create(key: string): Promise<ObjectWriter> {
    await this.before('create', key)
    if (this.objects.has(key)) throw new RunError('SINK_INVALID', `${key} exists`)
    const parts: Uint8Array[] = []
    this.open += 1
    let isOpen = true
    const close = () => {
      if (isOpen) this.open -= 1
      isOpen = false
    }
    return {
      write: async (bytes) => {
        await this.before('write', key)
        parts.push(Uint8Array.from(bytes))
      },
      commit: async () => {
        await this.before('commit', key)
        close()
        const body = Buffer.concat(parts)
        this.objects.set(key, body)
        return stored(key, body)
      },
      abort: async () => close(),
    }
  }

  async assemble(key: string, { pieces, tail, sha256 }: Assembly): Promise<StoredObject> {
    const writer = await this.create(key)
    for (const piece of pieces) {
      const body = this.objects.get(piece.key)
      if (body === undefined || stored(piece.key, body).sha256 !== piece.sha256) {
        await writer.abort()
        throw new RunError('PIECE_LOST', `${piece.key} is not what it was`)
      }
      await writer.write(body)
    }
    await writer.write(tail)
    const whole = await writer.commit()
    if (sha256 !== undefined && whole.sha256 !== sha256) throw new RunError('INTERNAL', 'another SHA-256')
    return whole
  }

  async get(key: string): Promise<Uint8Array | null> {
    return this.objects.get(key) ?? null
  }

  async head(key: string): Promise<ObjectHead | null> {
    const body = this.objects.get(key)
    return body === undefined ? null : { key, bytes: body.byteLength, modifiedAt: 0 }
  }

  async *list(prefix: string): AsyncIterable<ObjectHead> {
    for (const [key, body] of [...this.objects].sort(([a], [b]) => (a < b ? -1 : 1)))
      if (key.startsWith(prefix)) yield { key, bytes: body.byteLength, modifiedAt: 0 }
  }

  async delete(key: string): Promise<void> {
    this.objects.delete(key)
  }

  async *unfinished(): AsyncIterable<never> {}

  async discard(): Promise<void> {}

  async conditionalWrites() {
    return 'supported' as const
  }

  async close(): Promise<void> {}
}

function stored(key: string, body: Uint8Array): StoredObject {
  return { key, bytes: body.byteLength, sha256: createHash('sha256').update(body).digest('hex') }
}
