import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type RedisServer, startRedis } from '@huntfleet/testing'
import { processesIn } from '../e2e/fixture/processes-in.ts'
import { type CheckpointMode, setSourceFaults, writeProject } from './chaos-project.ts'
import { type ChaosReport, countEvents, makeReport } from './chaos-report.ts'
import { type ChaosStorage, openChaosStorage, type StorageKind } from './chaos-storage.ts'
import { leftInRedis, leftInStorage, removeGarbage } from './leftovers.ts'
import { readCalls } from './page-log.ts'
import { openTableReader } from './read-table.ts'
import { openRunQueue } from './run-queue.ts'
import { runSource } from './run-source.ts'
import { type ChaosEvent, schedule } from './schedule.ts'
import { watchStorage } from './storage-watch.ts'
import { readHandovers } from './worker-logs.ts'
import { WorkerSlots } from './worker-slots.ts'

export interface ChaosOptions {
  seed: number
  /** How long things go wrong, in seconds; then the fleet may finish what it has. */
  seconds: number
  storage: StorageKind
  checkpoint: CheckpointMode
  /** Worker processes. */
  workers: number
  /** Mean time between two events, in milliseconds. */
  meanGapMs: number
  /** Runs that are under way at any time. */
  runsAtOnce: number
  /** Life of a lock, in milliseconds: long enough for a process that shares its core, short enough to be outlived often. */
  lockMs: number
  /** Ends after so many SIGKILLs of workers, even before the time is up. */
  kills: number
  /** Told of every event. */
  say(line: string): void
}

/** Share of the answers of sources that go wrong at quiet times. */
const quietRate = 0.03
const drainMs = 180_000
const lookMs = 400

/** An event that has happened; milliseconds since the epoch. */
export interface PastEvent {
  t: number
  event: ChaosEvent
}

/** Runs a fleet while everything around it falls over, lets it finish, and judges what it has left. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport | { skipped: string }> {
  const redis = await startRedis({ appendonly: true, own: true })
  if (redis.skipped !== undefined) return redis
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'huntfleet-chaos-')))
  const storage = await openChaosStorage(options.storage, folder)
  try {
    if ('skipped' in storage) return storage
    const report = await runIn(folder, redis, storage, options)
    if (report.faults.length === 0) await rm(folder, { recursive: true, force: true })
    else options.say(`logs of all workers and calls: ${folder}`)
    return report
  } finally {
    if (!('skipped' in storage)) await storage.close()
    await redis.stop()
  }
}

async function runIn(
  folder: string,
  redis: RedisServer,
  storage: ChaosStorage,
  options: ChaosOptions,
): Promise<ChaosReport> {
  const { seed, say } = options
  const logs = join(folder, 'logs')
  await mkdir(logs)
  await setSourceFaults(folder, { seed, rate: quietRate })
  const source = await runSource(folder)
  await writeProject({
    folder,
    web: source.url,
    storage: storage.url,
    endpoint: storage.endpoint,
    redis: redis.url,
    checkpoint: options.checkpoint,
  })
  const env = {
    ...process.env,
    ...storage.env,
    HUNTFLEET_LOCK_MS: String(options.lockMs),
    // A thousand starts of the same program.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/chaos', import.meta.url)),
  }
  const reader = await openTableReader(folder)
  const watch = watchStorage(storage.store, reader)
  const operatorEnv = { ...env, CHAOS_WORKER: 'chaos-operator' }
  const queue = await openRunQueue(folder, redis.url, operatorEnv)
  const slots = new WorkerSlots({ count: options.workers, folder, env, logs })
  const past: PastEvent[] = []
  const over = new AbortController()
  const drained = new AbortController()
  await slots.untilAllReady()
  const looking = keepLooking(watch.look, drained.signal)
  const filling = queue.keepFull(options.runsAtOnce, over.signal)
  const startedAt = Date.now()
  const director = direct({ folder, redis, storage, slots, seed })
  for (const { gapMs, event } of schedule({ ...options, storageFaults: storage.inject !== null })) {
    await wait(gapMs)
    const kills = past.filter(({ event: { kind } }) => kind === 'kill').length
    if (Date.now() - startedAt > options.seconds * 1_000 || kills >= options.kills) break
    past.push({ t: Date.now(), event })
    say(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${JSON.stringify(event)}`)
    await director.act(event)
  }
  over.abort()
  await director.heal()
  await filling
  // One that nothing happens to any more.
  await queue.enqueue()
  const overAt = Date.now()
  say(`${JSON.stringify(countEvents(past))}; ${queue.runs.length} runs; nothing goes wrong any more`)
  await queue.drain(drainMs)
  const drainedMs = Date.now() - overAt
  drained.abort()
  await looking
  await slots.close()
  await watch.look()
  const garbage = await leftInStorage(storage.store, watch.manifests)
  await removeGarbage(folder, operatorEnv)
  const left = [
    ...(await leftInRedis(queue.producer)),
    ...(await leftInStorage(storage.store, watch.manifests)),
  ]
  const report = await makeReport({
    seed,
    calls: readCalls(join(folder, 'pages.ndjson')),
    past,
    runs: queue.runs,
    slots,
    watch,
    reader,
    store: storage.store,
    drainedMs,
    checkpoints: options.checkpoint !== 'off',
    handovers: await readHandovers(logs),
    garbage: garbage.length,
    left,
  })
  await queue.close()
  await source.stop()
  reader.close()
  const running = await processesIn(folder)
  if (running.length > 0) report.faults.push(`processes are left behind: ${running.join('; ')}`)
  return report
}

async function keepLooking(look: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await look()
    await wait(lookMs)
  }
}

interface Stage {
  folder: string
  redis: RedisServer
  storage: ChaosStorage
  slots: WorkerSlots
  seed: number
}

/** Makes events happen, and ends what lasts. */
interface Director {
  /** A worker that is not there yet has its successor hit; Redis is waited for until it is back. */
  act(event: ChaosEvent): Promise<void>
  /** From now on storage and sources answer. */
  heal(): Promise<void>
}

function direct({ folder, redis, storage, slots, seed }: Stage): Director {
  let quiet: NodeJS.Timeout | undefined
  const failAt = (rate: number): Promise<void> => setSourceFaults(folder, { seed, rate })
  return {
    async act(event) {
      switch (event.kind) {
        case 'kill':
          return slots.kill(await slots.readySlot(event.worker))
        case 'term':
          return slots.term(await slots.readySlot(event.worker))
        case 'freeze':
          return slots.freeze(await slots.readySlot(event.worker), event.ms)
        case 'redis-kill':
          await redis.kill()
          await wait(event.ms)
          return await redis.restart()
        case 'redis-freeze':
          redis.freeze()
          await wait(event.ms)
          return redis.thaw()
        case 'storage':
          for (const rule of event.rules) storage.inject?.(rule)
          return
        case 'source':
          clearTimeout(quiet)
          await failAt(event.rate)
          quiet = setTimeout(() => void failAt(quietRate), event.ms)
          return
      }
    },
    async heal() {
      clearTimeout(quiet)
      storage.heal()
      await failAt(0)
    },
  }
}
