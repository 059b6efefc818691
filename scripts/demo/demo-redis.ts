import { startRedis } from '@huntfleet/testing'

/** The Redis of the demo: the user's (`REDIS_URL`), else one of our own that is gone afterwards. */
export async function demoRedis(
  env: NodeJS.ProcessEnv,
): Promise<{ url: string; whose: string; stop(): Promise<void> }> {
  const given = env['REDIS_URL']
  if (given !== undefined && given !== '') {
    return { url: given, whose: 'the Redis of REDIS_URL', stop: async () => {} }
  }
  const redis = await startRedis()
  if (redis.skipped !== undefined) throw new Error(redis.skipped)
  return { url: redis.url, whose: 'a private Redis', stop: () => redis.stop() }
}
