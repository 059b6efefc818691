import { describe, expect, it } from 'vitest'
import { argumentHeaders, modernHeaders } from '../../src/mcp/modern-headers.ts'

const envelope = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

describe('modernHeaders', () => {
  it('repeats revision, method and name', () => {
    const params = { name: 'search', arguments: {}, _meta: envelope }
    expect(modernHeaders({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'search',
    })
    const read = { jsonrpc: '2.0' as const, id: 1, method: 'resources/read' }
    expect(modernHeaders({ ...read, params: { uri: 'a://b', _meta: envelope } })).toMatchObject({
      'mcp-name': 'a://b',
    })
  })

  it.each([
    [
      'a request of an earlier revision',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } },
    ],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { _meta: envelope } }],
    ['an answer', { jsonrpc: '2.0', id: 1, result: {} }],
  ] as const)('adds nothing to %s', (_, message) => {
    expect(modernHeaders(message)).toBeUndefined()
  })

  it.each(['a\r\nx-evil: 1', 'naïve', ' led by a blank', '', '=?base64?eA==?='])(
    'encodes %j, which a header could not carry as it is',
    (name) => {
      const message = {
        jsonrpc: '2.0' as const,
        id: 1,
        method: 'tools/call',
        params: { name, _meta: envelope },
      }
      expect(modernHeaders(message)).toMatchObject({ 'mcp-name': base64(name) })
    },
  )
})

describe('argumentHeaders', () => {
  const schema = (type: string) => ({ properties: { a: { type, 'x-mcp-header': 'A' } } })

  it.each([
    ['a text', 'x', 'x'],
    ['an integer', 7, '7'],
    ['a boolean', false, 'false'],
    ['a line break', 'x\ny', base64('x\ny')],
  ])('repeats %s', (_, a, header) => {
    expect(argumentHeaders(schema('string'), { a })).toEqual({ 'mcp-param-a': header })
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', [1]],
    ['a fraction', 1.5],
    ['an integer that JavaScript has rounded', 2 ** 53],
  ])('does not repeat %s', (_, a) => {
    expect(argumentHeaders(schema('string'), { a })).toEqual({})
  })

  it('passes over marks that are no header name, and those outside of properties', () => {
    const properties = { a: { 'x-mcp-header': 'bad name\r\n' }, b: { items: { 'x-mcp-header': 'B' } } }
    expect(argumentHeaders({ properties }, { a: 'x', b: ['y'] })).toEqual({})
  })

  it('does not mind a schema and arguments of twenty thousand levels', () => {
    let nested: Record<string, unknown> = { 'x-mcp-header': 'Deep' }
    let args: unknown = 'bottom'
    for (let level = 0; level < 20_000; level += 1) {
      nested = { properties: { a: nested } }
      args = { a: args }
    }
    expect(argumentHeaders({ properties: { a: nested } }, { a: args })).toEqual({
      'mcp-param-deep': 'bottom',
    })
  })
})
