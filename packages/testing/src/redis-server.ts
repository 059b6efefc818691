import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRedisContainer } from './redis-container.ts'

export interface RedisServerOptions {
  /** Keep an append-only file, so that data survives `kill` and `restart`. Default: false. */
  appendonly?: boolean
  /** Such as `64mb`; default: no limit. */
  maxmemory?: string
  /** Default: `noeviction`. */
  maxmemoryPolicy?: string
  /** Listen on a unix socket instead of a loopback port. Default: false. */
  socket?: boolean
  /** The test stops, kills or fills the server, so a shared one (`TEST_REDIS_URL`) will not do. Default: false. */
  own?: boolean
}

/** A running Redis (or Valkey). Only a spawned one can be frozen, killed and restarted. */
export interface RedisServer {
  readonly skipped?: undefined
  /** `redis://127.0.0.1:PORT`, or `unix:///path` with the option `socket`. */
  readonly url: string
  /** Ends the server and removes its folder; safe to call twice. */
  stop(): Promise<void>
  /** SIGKILL, as a crash; the folder stays for `restart`. */
  kill(): Promise<void>
  /** Starts the killed server again at the same address. */
  restart(): Promise<void>
  /** SIGSTOP: connections stay open and nothing answers. */
  freeze(): void
  /** SIGCONT. */
  thaw(): void
}

/** What `startRedis` answers where no Redis can be had. */
export interface RedisSkipped {
  readonly skipped: string
}

const programs = ['redis-server', 'valkey-server']
const startDeadlineMs = 10_000
const portAttempts = 5

/**
 * A Redis for tests: `TEST_REDIS_URL`, else a spawned `redis-server` or `valkey-server` (30 ms), else a container, else
 * the printed reason why there is none.
 */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer | RedisSkipped> {
  const shared = process.env['TEST_REDIS_URL']
  if (shared !== undefined && shared !== '' && options.own !== true) return sharedServer(shared)
  for (const program of programs) {
    const spawned = await spawnRedis(program, options)
    if (spawned !== null) return spawned
  }
  const container =
    options.own === true ? 'a container cannot be frozen or killed' : await startRedisContainer()
  if (typeof container !== 'string') return { ...container, ...uncontrolled }
  const skipped = `no Redis: neither ${programs.join(' nor ')} is on PATH, and ${container}; install Redis or set TEST_REDIS_URL`
  process.stderr.write(`skipped: ${skipped}\n`)
  return { skipped }
}

function refuse(): never {
  throw new Error('only a spawned Redis can be frozen, killed or restarted: start it with { own: true }')
}
const uncontrolled = {
  kill: async (): Promise<void> => refuse(),
  restart: async (): Promise<void> => refuse(),
  freeze: refuse,
  thaw: refuse,
}

function sharedServer(url: string): RedisServer {
  return { url, stop: async () => {}, ...uncontrolled }
}

/** null: there is no such program. */
async function spawnRedis(program: string, options: RedisServerOptions): Promise<RedisServer | null> {
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-redis-'))
  try {
    const { child, listen, url } = await startListening(program, folder, options)
    return controlled(child, url, folder, () => run(program, listen, folder, options))
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true })
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null
    throw thrown
  }
}

/** Another process may take the free port before Redis does; then the next one is tried. */
async function startListening(
  program: string,
  folder: string,
  options: RedisServerOptions,
): Promise<{ child: ChildProcess; listen: string[]; url: string }> {
  for (let attempt = 1; ; attempt++) {
    const socket = join(folder, 'redis.sock')
    const port = options.socket === true ? 0 : await freePort()
    const listen =
      port === 0 ? ['--port', '0', '--unixsocket', socket] : ['--port', String(port), '--bind', '127.0.0.1']
    try {
      const child = await run(program, listen, folder, options)
      return { child, listen, url: port === 0 ? `unix://${socket}` : `redis://127.0.0.1:${port}` }
    } catch (thrown) {
      const taken = thrown instanceof Error && thrown.message.includes('already in use')
      if (!taken || attempt === portAttempts) throw thrown
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('the probe has no port')
  return address.port
}

/** Resolves when the server says that it takes connections; rejects with its last words when it ends before. */
async function run(
  program: string,
  listen: readonly string[],
  folder: string,
  options: RedisServerOptions,
): Promise<ChildProcess> {
  const durable = options.appendonly === true ? ['yes', '--appendfsync', 'everysec'] : ['no']
  const args = [...listen, '--dir', folder, '--save', '', '--appendonly', ...durable]
  args.push('--maxmemory-policy', options.maxmemoryPolicy ?? 'noeviction')
  if (options.maxmemory !== undefined) args.push('--maxmemory', options.maxmemory)
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let words = ''
  await new Promise<void>((resolve, reject) => {
    const deadline = setTimeout(
      () => fail(new Error(`${program} did not start: ${words.slice(-500)}`)),
      startDeadlineMs,
    )
    const fail = (error: Error): void => {
      clearTimeout(deadline)
      child.kill('SIGKILL')
      reject(error)
    }
    child.once('error', fail)
    child.once('exit', () => fail(new Error(`${program} ended: ${words.slice(-500)}`)))
    child.stdout.on('data', (chunk: Buffer) => {
      words = (words + chunk.toString()).slice(-4_000)
      if (!/ready to accept connections/i.test(words)) return
      clearTimeout(deadline)
      child.removeAllListeners('exit')
      resolve()
    })
    child.stderr.resume()
  })
  return child
}

function controlled(
  first: ChildProcess,
  url: string,
  folder: string,
  again: () => Promise<ChildProcess>,
): RedisServer {
  let child = first
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    // A frozen process takes no SIGTERM before it is woken.
    child.kill('SIGCONT')
    child.kill(signal)
    await ended
  }
  // The last resort for a test run that ends without calling stop.
  const atExit = (): void => void child.kill('SIGKILL')
  process.once('exit', atExit)
  return {
    url,
    kill: () => end('SIGKILL'),
    restart: async () => {
      child = await again()
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: async () => {
      process.off('exit', atExit)
      // Nothing of a test's data is worth a clean shutdown.
      await end('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
