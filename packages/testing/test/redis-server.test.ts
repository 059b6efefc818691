import { existsSync } from 'node:fs'
import { createConnection } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { type RedisServer, type RedisServerOptions, startRedis } from '../src/redis-server.ts'

const started: RedisServer[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(started.splice(0).map((server) => server.stop()))
})

async function start(options: RedisServerOptions = {}): Promise<RedisServer> {
  const redis = await startRedis({ own: true, ...options })
  if (redis.skipped !== undefined) throw new Error(redis.skipped)
  started.push(redis)
  return redis
}

/** Sends one inline command and resolves with the answer's text. */
function ask(url: string, command: string): Promise<string> {
  const { protocol, port, pathname } = new URL(url)
  const socket =
    protocol === 'unix:' ? createConnection(pathname) : createConnection(Number(port), '127.0.0.1')
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('data', (data) => {
      socket.destroy()
      resolve(data.toString())
    })
    socket.write(`${command}\r\n`)
  })
}

const redis = await startRedis({ own: true })
const missing = redis.skipped !== undefined
if (redis.skipped === undefined) started.push(redis)

test.skipIf(missing)('answers on a loopback port', async () => {
  expect(await ask((await start()).url, 'PING')).toBe('+PONG\r\n')
})

test.skipIf(missing)('answers on a unix socket', async () => {
  const server = await start({ socket: true })
  expect(server.url).toMatch(/^unix:\/\//)
  expect(await ask(server.url, 'PING')).toBe('+PONG\r\n')
})

test.skipIf(missing)('keeps its data and address over a crash when it is append-only', async () => {
  const server = await start({ appendonly: true })
  await ask(server.url, 'CONFIG SET appendfsync always')
  await ask(server.url, 'SET fact kept')
  await server.kill()
  await expect(ask(server.url, 'PING')).rejects.toThrow('ECONNREFUSED')
  await server.restart()
  expect(await ask(server.url, 'GET fact')).toContain('kept')
})

test.skipIf(missing)('takes the memory settings of the test', async () => {
  const server = await start({ maxmemory: '7mb', maxmemoryPolicy: 'allkeys-lru' })
  expect(await ask(server.url, 'CONFIG GET maxmemory')).toContain('7340032')
  expect(await ask(server.url, 'CONFIG GET maxmemory-policy')).toContain('allkeys-lru')
})

test.skipIf(missing)('leaves no process and no folder behind, even when it is frozen', async () => {
  const server = await start({ socket: true })
  const folder = new URL(server.url).pathname
  server.freeze()
  await server.stop()
  await server.stop()
  expect(existsSync(folder)).toBe(false)
  await expect(ask(server.url, 'PING')).rejects.toThrow('ENOENT')
})

test('takes the server that TEST_REDIS_URL names and never stops it', async () => {
  vi.stubEnv('TEST_REDIS_URL', 'redis://shared.example:6379')
  const server = await startRedis()
  if (server.skipped !== undefined) throw new Error(server.skipped)
  expect(server.url).toBe('redis://shared.example:6379')
  await server.stop()
  await expect(server.kill()).rejects.toThrow('own: true')
})

test('says why there is no Redis', async () => {
  vi.stubEnv('PATH', '/nonexistent')
  const words: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => words.push(String(text)) > 0)
  const none = await startRedis({ own: true })
  write.mockRestore()
  expect(none.skipped).toContain('neither redis-server nor valkey-server is on PATH')
  expect(words.join('')).toContain('TEST_REDIS_URL')
})
