const image = 'redis:7-alpine'

/** A Redis in a container, or a half-sentence why that is impossible (no container engine, no image). */
export async function startRedisContainer(): Promise<{ url: string; stop(): Promise<void> } | string> {
  try {
    // Loaded only here: it takes 400 ms that no test with a local Redis should pay.
    const { GenericContainer } = await import('testcontainers')
    const container = await new GenericContainer(image).withExposedPorts(6379).start()
    return {
      url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
      stop: async () => {
        await container.stop()
      },
    }
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    return `no container engine could start ${image} (${why.split('\n')[0]})`
  }
}
