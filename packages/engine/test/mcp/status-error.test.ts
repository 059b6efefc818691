import { describe, expect, it } from 'vitest'
import { statusError } from '../../src/mcp/status-error.ts'

describe('statusError', () => {
  it.each([
    { status: 404, inSession: true, code: 'SESSION_LOST' },
    { status: 404, inSession: false, code: 'SERVER_REFUSED' },
    { status: 400, inSession: true, code: 'ARGUMENT_INVALID' },
    { status: 400, inSession: false, code: 'SERVER_REFUSED' },
    { status: 405, inSession: true, code: 'SERVER_REFUSED' },
    { status: 406, inSession: false, code: 'SERVER_REFUSED' },
    { status: 407, inSession: true, code: 'SOURCE_DENIED' },
    { status: 408, inSession: true, code: 'SOURCE_TIMEOUT' },
    { status: 422, inSession: true, code: 'ARGUMENT_INVALID' },
    { status: 500, inSession: true, code: 'SOURCE_ERROR' },
    { status: 502, inSession: true, code: 'SOURCE_ERROR' },
    { status: 599, inSession: true, code: 'SOURCE_ERROR' },
  ])('makes $status, in a session: $inSession, $code', ({ status, inSession, code }) => {
    expect(statusError('web', new Response(null, { status }), '', inSession).code).toBe(code)
  })

  it('reads the time to wait in both of its forms', () => {
    const at = new Date(Date.now() + 60_000).toUTCString()
    const seconds = statusError(
      'web',
      new Response(null, { status: 429, headers: { 'retry-after': '5' } }),
      '',
      true,
    )
    const date = statusError(
      'web',
      new Response(null, { status: 429, headers: { 'retry-after': at } }),
      '',
      true,
    )
    expect(seconds.context.retryAfterMs).toBe(5000)
    expect(date.context.retryAfterMs).toBeGreaterThan(50_000)
    expect(date.context.retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  it('shows the words of a JSON-RPC error, shortened and harmless', () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, message: `no\u001b ${'x'.repeat(9000)}` },
    })
    const { message } = statusError('web', new Response(null, { status: 500 }), body, true)
    expect(message).toMatch(/^server "web" answered HTTP 500: "no/)
    expect(message).not.toContain('\u001b')
    expect(message.length).toBeLessThan(600)
  })

  it('names the scope that a challenge asks for', () => {
    const headers = {
      'www-authenticate': 'Bearer error="insufficient_scope", scope="alerts:read hosts:read"',
    }
    const { code, context } = statusError('web', new Response(null, { status: 403, headers }), 'no', true)
    expect(code).toBe('SOURCE_DENIED')
    expect(context.hint).toContain('"alerts:read hosts:read": have it granted to the credential')
    const plain = statusError('web', new Response(null, { status: 403 }), 'no', true)
    expect(plain.context.hint).toContain('check auth and headers')
  })
})
