/**
 * `npm run demo`: a Redis, a worker and the hunt `examples/strategies/repo-inventory`, from two real MCP servers to
 * Parquet files. Nothing to configure:
 *   REDIS_URL     a Redis to use instead of a private one
 *   S3_ENDPOINT   writes to that S3 server instead of ./staging; S3_BUCKET (default huntfleet) must exist, and the AWS_*
 *                 variables carry the credentials
 */
import { manifestKey, manifestSchema, RunError } from '@huntfleet/contract'
import { openStore, readManifest } from '@huntfleet/storage'
import { demoRedis } from './demo/demo-redis.ts'
import { startHuntfleet } from './demo/huntfleet-process.ts'
import { runReport } from './demo/run-report.ts'

const stopPatienceMs = 5_000
const startedAt = Date.now()
const { S3_ENDPOINT: endpoint = '' } = process.env
const onS3 = endpoint !== ''
const project = ['--config', 'examples/huntfleet.yaml', ...(onS3 ? ['--env', 's3'] : [])]

/** What to end, the last that was started first. */
const started: { stop(): Promise<void> }[] = []

async function stopAll(): Promise<void> {
  for (const part of started.splice(0).reverse()) await part.stop()
}

let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (interrupted) process.exit(130)
    interrupted = true
    console.log('\nStopping what was started …')
    void stopAll().finally(() => process.exit(130))
  })
}

function start(args: readonly string[], env: NodeJS.ProcessEnv): ReturnType<typeof startHuntfleet> {
  const child = startHuntfleet([...args, ...project], env)
  started.push({ stop: () => child.stop(stopPatienceMs) })
  return child
}

async function demo(): Promise<number> {
  const redis = await demoRedis(process.env)
  started.push(redis)
  const env = { ...process.env, REDIS_URL: redis.url }
  console.log(`1. ${redis.whose}: it holds the queues.`)

  const worker = start(['worker'], env)
  await worker.said('worker ready')
  console.log('2. a worker: it starts two MCP servers from npm when it needs them.')

  console.log('3. the hunt repo-inventory: a folder of this repository by cursor, its git log by offset.\n')
  const enqueue = start(['enqueue', 'repo-inventory', '--wait', '--json'], env)
  const code = await Promise.race([enqueue.ended, worker.ended.then(() => null)])
  if (interrupted) return 130
  const manifest = manifestSchema.safeParse(JSON.parse(enqueue.stdout() || 'null'))
  if (!manifest.success) {
    console.error(`There is no result:\n${enqueue.stdout()}\nThe worker's log:\n${worker.stdout()}`)
    return code ?? 70
  }
  const { run_id: runId, strategy, storage } = manifest.data
  const store = await openStore({
    url: storage,
    endpoint: onS3 ? endpoint : null,
    region: null,
    pathStyle: onS3,
  })
  try {
    console.log(`\n${await runReport(manifest.data, store)}`)
    const published = await readManifest(store, strategy, runId).catch(() => null)
    if (published !== null) {
      console.log(`\nThe manifest, written last: ${store.url}/${manifestKey(strategy, runId)}`)
    }
  } finally {
    await store.close()
  }
  if (code !== 0) console.error(`\nNot everything came. The worker's log:\n${worker.stdout()}`)
  return code ?? 70
}

let exitCode = 70
try {
  exitCode = await demo()
} catch (error) {
  if (!interrupted) console.error(error instanceof RunError ? error.message : error)
} finally {
  // Interrupted, the signal's handler ends everything and the process.
  if (!interrupted) await stopAll()
}
if (!interrupted) {
  console.log(
    `\nDone in ${((Date.now() - startedAt) / 1000).toFixed(1)} s; everything that was started is stopped.`,
  )
  process.exit(exitCode)
}
