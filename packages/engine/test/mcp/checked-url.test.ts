import { describe, expect, it } from 'vitest'
import { checkedUrl, isLoopback } from '../../src/mcp/checked-url.ts'
import type { HttpTransportConfig, ServerAuth } from '../../src/mcp/server-config.ts'

const none: ServerAuth = { type: 'none' }
const bearer: ServerAuth = { type: 'bearer', token: async () => 'x' }

function config(url: string, more: Partial<HttpTransportConfig> = {}): HttpTransportConfig {
  return { kind: 'http', url, headers: {}, legacySse: 'never', ...more }
}

describe('checkedUrl', () => {
  it.each<[string, HttpTransportConfig, ServerAuth]>([
    ['https with credentials', config('https://mcp.example/mcp'), bearer],
    ['http without credentials', config('http://mcp.example/mcp?project=1'), none],
    [
      'http with credentials on this machine',
      config('http://127.0.0.1:8080/mcp', { headers: { 'x-key': '1' } }),
      bearer,
    ],
    [
      'http with credentials where the user says so',
      config('http://mcp:8080/', { allowInsecure: true }),
      bearer,
    ],
  ])('allows %s', (_, transport, auth) => {
    expect(checkedUrl('s', transport, auth).href).toBe(new URL(transport.url).href)
  })

  it.each<[string, HttpTransportConfig, ServerAuth, string]>([
    ['a token over http', config('http://mcp.example/mcp'), bearer, 'CREDENTIAL_REFUSED'],
    [
      'a header over http',
      config('http://10.0.0.5/mcp', { headers: { 'x-key': '1' } }),
      none,
      'CREDENTIAL_REFUSED',
    ],
    ['a key in the query over http', config('http://10.0.0.5/mcp?apiKey=1'), none, 'CREDENTIAL_REFUSED'],
    ['user and password', config('https://user:pw@mcp.example/'), none, 'CREDENTIAL_REFUSED'],
    [
      'a host that only looks like this machine',
      config('http://127.0.0.1.evil.example/'),
      bearer,
      'CREDENTIAL_REFUSED',
    ],
    ['another scheme', config('file:///etc/passwd'), none, 'SERVER_REFUSED'],
    ['no URL', config('mcp.example/mcp'), none, 'SERVER_REFUSED'],
  ])('refuses %s', (_, transport, auth, code) => {
    expect(() => checkedUrl('s', transport, auth)).toThrow(expect.objectContaining({ code }))
  })

  it('does not show the password it refuses', () => {
    expect(() => checkedUrl('s', config('https://user:hunter2@x.example/'), none)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    )
  })
})

describe('isLoopback', () => {
  it.each(['http://localhost', 'http://a.localhost', 'http://127.9.9.9', 'http://[::1]:1'])(
    'is true for %s',
    (url) => {
      expect(isLoopback(new URL(url))).toBe(true)
    },
  )
  it.each(['http://128.0.0.1', 'http://localhost.example', 'http://[::2]', 'http://127.example'])(
    'is false for %s',
    (url) => {
      expect(isLoopback(new URL(url))).toBe(false)
    },
  )
})
