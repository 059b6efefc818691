import { RunError } from '@huntfleet/contract'
import { expect, test } from 'vitest'
import { parseRedisUrl } from '../src/redis-url.ts'

test.each([
  ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379', 'redis://127.0.0.1:6379'],
  ['redis://me:hunter2@cache:6379/3', 'redis://me:hunter2@cache:6379/3', 'redis://me:***@cache:6379/3'],
  ['rediss://:hunter2@cache', 'rediss://:hunter2@cache', 'rediss://:***@cache'],
  ['redis://cache?password=hunter2', 'redis://cache?password=hunter2', 'redis://cache'],
  ['unix:///run/redis.sock', '/run/redis.sock', 'unix:///run/redis.sock'],
  ['/run/redis.sock', '/run/redis.sock', 'unix:///run/redis.sock'],
])('reads %s and shows no password', (text, url, shown) => {
  expect(parseRedisUrl(text)).toEqual({ url, shown })
})

test.each(['', 'localhost', 'localhost:6379', 'http://cache', 'hunter2'])(
  'refuses %j and does not repeat it',
  (text) => {
    const refused = (() => {
      try {
        return parseRedisUrl(text)
      } catch (thrown) {
        return thrown
      }
    })()
    if (!(refused instanceof RunError)) throw new Error('not refused')
    expect(refused.code).toBe('PROJECT_INVALID')
    expect(refused.message).toBe('the redis setting is not a Redis URL')
    expect(refused.context.hint).toContain('redis://host:6379')
  },
)
