import { RunError } from '@huntfleet/contract'
import type { Clock, Logger, McpSession, SessionLease, SessionSource } from '../ports.ts'
import { abortError } from './abort-error.ts'
import { type Authorization, authorizationFor } from './authorization.ts'
import type { OpenSessionOptions } from './open-session.ts'
import type { ServerConfig } from './server-config.ts'
import { SlotQueue } from './slot-queue.ts'

/** A session as the pool sees it. */
export interface PooledSession extends McpSession {
  readonly alive: boolean
  readonly calls: number
}

export interface SessionPoolOptions {
  /** The config of a server with a credential merged in; throws `SERVER_UNKNOWN`, `SECRET_UNSET` and the like. */
  resolve(server: string, configKey: string | null): Promise<ServerConfig>
  clock: Clock
  logger: Logger
  /** Opens a session; tests put theirs here. */
  open?: (config: ServerConfig, options: OpenSessionOptions) => Promise<PooledSession>
}

interface Held {
  session: PooledSession
  config: ServerConfig
  openedAt: number
  /** Ends the wait for its idle time; set while nobody has it. */
  cancelIdle: () => void
}

/** The MCP SDK is loaded with the first session: most commands open none. */
const openLazily: NonNullable<SessionPoolOptions['open']> = async (config, options) => {
  const { openSession } = await import('./open-session.ts')
  return await openSession(config, options)
}

/** The sessions of one server and credential. */
interface Shelf {
  slots: SlotQueue
  idle: Held[]
  authorization: Authorization | undefined
}

/**
 * Sessions that outlive a table fetch, one shelf per server and credential. A lease is exclusive: page cursors belong
 * to sessions on many servers, a large answer on stdio holds up every other, and a poisoned session hurts one fetch.
 */
export class SessionPool implements SessionSource {
  readonly #options: SessionPoolOptions
  readonly #open: (config: ServerConfig, options: OpenSessionOptions) => Promise<PooledSession>
  readonly #shelves = new Map<string, Shelf>()
  /** Every open session, leased or idle. */
  readonly #all = new Set<Held>()
  readonly #closing = new AbortController()
  readonly #opening = new Set<Promise<unknown>>()
  readonly #ending = new Set<Promise<void>>()

  constructor(options: SessionPoolOptions) {
    this.#options = options
    this.#open = options.open ?? openLazily
  }

  async lease(server: string, configKey: string | null, signal: AbortSignal): Promise<SessionLease> {
    this.#refuseWhenClosing()
    const config = await this.#options.resolve(server, configKey)
    const shelf = this.#shelfOf(server, configKey)
    await shelf.slots.acquire(config.maxClients, signal)
    try {
      this.#refuseWhenClosing()
      const held = (await this.#takeIdle(shelf)) ?? (await this.#openHeld(config, shelf, signal))
      this.#refuseWhenClosing()
      return this.#leaseOf(held, shelf)
    } catch (error) {
      shelf.slots.release()
      throw error
    }
  }

  /** Ends every session, leased ones too, and refuses further leases with `SHUTDOWN`. */
  async close(): Promise<void> {
    this.#closing.abort(new RunError('SHUTDOWN', 'the session pool is closed'))
    for (const { slots } of this.#shelves.values()) slots.close(abortError(this.#closing.signal))
    await Promise.allSettled(this.#opening)
    await Promise.all([...[...this.#all].map((held) => this.#end(held)), ...this.#ending])
  }

  #leaseOf(held: Held, shelf: Shelf): SessionLease {
    let released = false
    return {
      session: held.session,
      release: async (reusable) => {
        if (released) return
        released = true
        if (reusable && this.#isFresh(held)) this.#shelve(held, shelf)
        else await this.#end(held)
        shelf.slots.release()
      },
    }
  }

  #shelve(held: Held, shelf: Shelf): void {
    shelf.idle.push(held)
    held.cancelIdle = this.#options.clock.after(held.config.idleMs, () => {
      shelf.idle.splice(shelf.idle.indexOf(held), 1)
      void this.#end(held)
    })
  }

  /** The session that was used last: the others may then grow old and be closed. */
  async #takeIdle(shelf: Shelf): Promise<Held | undefined> {
    for (let held = shelf.idle.pop(); held; held = shelf.idle.pop()) {
      held.cancelIdle()
      if (this.#isFresh(held)) return held
      await this.#end(held)
    }
    return undefined
  }

  #isFresh({ session, config, openedAt }: Held): boolean {
    const ageMs = this.#options.clock.now() - openedAt
    return (
      session.alive &&
      config.isolation === 'pool' &&
      ageMs < config.maxAgeMs &&
      session.calls < config.maxCalls &&
      !this.#closing.signal.aborted
    )
  }

  async #openHeld(config: ServerConfig, shelf: Shelf, signal: AbortSignal): Promise<Held> {
    const { clock, logger } = this.#options
    shelf.authorization ??= authorizationFor(config.name, config.auth, clock)
    const either = new AbortController()
    const onAbort = () => either.abort(abortError(signal.aborted ? signal : this.#closing.signal))
    const sources = [signal, this.#closing.signal]
    for (const source of sources) source.addEventListener('abort', onAbort, { once: true })
    if (sources.some((source) => source.aborted)) onAbort()
    const opening = this.#open(config, {
      clock,
      logger,
      signal: either.signal,
      authorization: shelf.authorization,
    })
    this.#opening.add(opening)
    try {
      const held = { session: await opening, config, openedAt: clock.now(), cancelIdle: () => undefined }
      this.#all.add(held)
      return held
    } finally {
      this.#opening.delete(opening)
      for (const source of sources) source.removeEventListener('abort', onAbort)
    }
  }

  /** Never rejects. */
  #end(held: Held): Promise<void> {
    held.cancelIdle()
    this.#all.delete(held)
    const ending = this.#closeSession(held).finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
    return ending
  }

  async #closeSession(held: Held): Promise<void> {
    try {
      await held.session.close()
    } catch (error) {
      const server = held.config.name
      this.#options.logger.debug('a session did not close properly', { server, error: String(error) })
    }
  }

  #shelfOf(server: string, configKey: string | null): Shelf {
    const key = JSON.stringify([server, configKey])
    const known = this.#shelves.get(key)
    if (known) return known
    const shelf: Shelf = { slots: new SlotQueue(), idle: [], authorization: undefined }
    this.#shelves.set(key, shelf)
    return shelf
  }

  #refuseWhenClosing(): void {
    if (this.#closing.signal.aborted) throw abortError(this.#closing.signal)
  }
}
