import type { ErrorCode } from '@huntfleet/contract'
import { cpuTime } from '@huntfleet/testing'
import { describe, expect, it } from 'vitest'
import { classifyText, toolError } from '../src/classify-text.ts'

describe('classifyText', () => {
  const texts: [text: string, code: ErrorCode][] = [
    ['Error: 429 Too Many Requests, retry after 30 seconds', 'SOURCE_RATE_LIMITED'],
    ['Rate limited by upstream API, please retry later', 'SOURCE_RATE_LIMITED'],
    ['Quota used up: rate limit of the organisation exceeded', 'SOURCE_RATE_LIMITED'],
    ['ThrottlingException: Rate exceeded', 'SOURCE_RATE_LIMITED'],
    ['{"status_code": 429}', 'SOURCE_RATE_LIMITED'],
    ['HTTP 403: API rate limit exceeded for installation', 'SOURCE_RATE_LIMITED'],
    ['Failed to perform operation: Permission denied.', 'SOURCE_DENIED'],
    ['Authentication failed: token expired', 'SOURCE_DENIED'],
    ['401 Unauthorized', 'SOURCE_DENIED'],
    ['Request failed with status code 403', 'SOURCE_DENIED'],
    ['this tool requires the alerts:read scope', 'SOURCE_DENIED'],
    ['Missing scope alerts:read', 'SOURCE_DENIED'],
    ['Upstream request timed out, please retry', 'SOURCE_TIMEOUT'],
    ['status: Polling Timeout', 'SOURCE_TIMEOUT'],
    ['HTTP 504', 'SOURCE_TIMEOUT'],
    ['connect ECONNREFUSED 127.0.0.1:9200', 'SOURCE_UNREACHABLE'],
    ['503 Service Unavailable', 'SOURCE_ERROR'],
    ['the cluster is temporarily unavailable', 'SOURCE_ERROR'],
    ['HTTP/1.1 500', 'SOURCE_ERROR'],
    ['MCP error -32602: Tool nope not found', 'TOOL_UNKNOWN'],
    ['Unknown tool: nope', 'TOOL_UNKNOWN'],
    ['MCP error -32602: Input validation error: "timeout" must be a number', 'ARGUMENT_INVALID'],
    ["search() got an unexpected keyword argument 'limt'", 'ARGUMENT_INVALID'],
    ['Error executing ES|QL query: Unknown column [hots.name]', 'TOOL_FAILED'],
    ['Result window is too large, from + size must be less than or equal to: [10000]', 'TOOL_FAILED'],
    ['no rows for host 429 in building 503', 'TOOL_FAILED'],
    ['', 'TOOL_FAILED'],
  ]
  it.each(texts)('%j is %s', (text, code) => {
    expect(classifyText(text).code).toBe(code)
  })

  it('takes linear time on long texts', () => {
    const spent = cpuTime()
    for (const piece of ['requires ', 'error ', ' ', 'retry after ', "tool '", '4']) {
      classifyText(piece.repeat(200_000))
    }
    expect(spent()).toBeLessThan(2_000)
  })
})

describe('toolError', () => {
  it('carries the tool’s own words, with control characters escaped and at most 4,096 of them', () => {
    const error = toolError(`bad query \u001b[31m at\nline 2 ${'x'.repeat(5_000)}`)
    expect(error.code).toBe('TOOL_FAILED')
    expect(error.message).toMatch(/^bad query \\u001b\[31m at\\nline 2 x+…$/)
    expect(error.message.length).toBeLessThan(4_120)
  })

  it('honours a wait that the text names', () => {
    expect(toolError('Too many requests, retry after 30 seconds').context.retryAfterMs).toBe(30_000)
    expect(toolError('syntax error; retry after fixing 30 typos').context.retryAfterMs).toBeUndefined()
  })

  it('takes the code it is given', () => {
    expect(toolError('whatever', 'SOURCE_ERROR').code).toBe('SOURCE_ERROR')
  })

  it('has words of its own for a tool that has none', () => {
    expect(toolError('  ').message).toContain('without words')
  })
})
