import { type ErrorCode, RunError } from '@huntfleet/contract'
import { cpuTime } from '@huntfleet/testing'
import { describe, expect, test } from 'vitest'
import { toolError } from '../src/classify-text.ts'
import { cursorExpired } from '../src/cursor-expired.ts'

describe('cursorExpired', () => {
  test.each([
    'The cursor has expired',
    'cursor "eyJpZCI6" is no longer valid',
    'Invalid cursor',
    'Invalid or expired pagination token',
    'The provided continuation token is not valid',
    'next_token not found',
    'Expired page token',
    'NextToken is expired',
    'unknown scroll id',
    'scroll_id is invalid',
    'search_context_missing_exception: No search context found for id [7]',
    'point in time expired',
    'MCP error -32602: Invalid cursor',
    'pageToken has expired',
  ])('knows %j', (text) => {
    expect(cursorExpired(toolError(text))).toMatchObject({ code: 'CURSOR_EXPIRED', kind: 'data' })
  })

  test.each([
    'token expired',
    'invalid api key',
    'the password has expired',
    'Input validation error: cursor must be a string',
    'no such index',
    'invalid query near "page"',
    'unknown field token_id',
  ])('does not take %j for one', (text) => {
    expect(cursorExpired(toolError(text))).toBeUndefined()
  })

  test.each<ErrorCode>(['SOURCE_ERROR', 'BUDGET_SPENT', 'CANCELLED', 'SERVER_UNKNOWN'])(
    'leaves %s alone',
    (code) => {
      expect(cursorExpired(new RunError(code, 'invalid cursor'))).toBeUndefined()
    },
  )

  test('keeps the words and the place, and says what to do', () => {
    const error = cursorExpired(
      new RunError('TOOL_FAILED', 'cursor expired', { tool: 'search', hint: 'old' }),
    )
    expect(error).toMatchObject({ context: { tool: 'search', hint: expect.stringContaining('dedupe_key') } })
    expect(error?.message).toContain('cursor expired')
  })

  test('takes no time on hostile words', () => {
    const spent = cpuTime()
    cursorExpired(new RunError('TOOL_FAILED', 'cursor '.repeat(50_000)))
    cursorExpired(new RunError('TOOL_FAILED', 'invalid '.repeat(50_000)))
    expect(spent()).toBeLessThan(2_000)
  })
})
