import { RunError } from '@huntfleet/contract'

const forms = 'redis://host:6379, rediss://user:password@host:6379/0 or unix:///path/to/redis.sock'

/** Where a Redis is, as ioredis wants it. */
export interface RedisAddress {
  /** URL for the constructor of ioredis. */
  readonly url: string
  /** The same, fit for messages: no password. */
  readonly shown: string
}

/** Reads the `redis` setting; throws `RunError` PROJECT_INVALID when it is none of the known forms. */
export function parseRedisUrl(text: string): RedisAddress {
  if (text.startsWith('/')) return { url: text, shown: `unix://${text}` }
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol === 'unix:') return { url: url.pathname, shown: `unix://${url.pathname}` }
  if (url === null || (url.protocol !== 'redis:' && url.protocol !== 'rediss:')) {
    // The text may be a password in the wrong place, so it is not repeated.
    throw new RunError('PROJECT_INVALID', 'the redis setting is not a Redis URL', {
      path: 'redis',
      hint: `write one of ${forms}`,
    })
  }
  return { url: text, shown: maskPassword(url) }
}

function maskPassword(url: URL): string {
  const shown = new URL(url)
  if (shown.password !== '') shown.password = '***'
  // ioredis takes options from the query string, a password too.
  shown.search = ''
  return shown.href.replace(/\/$/, '')
}
