import { describe, expect, test } from 'vitest'
import { knownTool, refuseByPolicy, refuseWrites, toolFinding } from '../src/check-tool.ts'
import type { ToolPolicy } from '../src/table-ports.ts'
import { readTool } from './scripted-sessions.ts'

const policy = (more: Partial<ToolPolicy> = {}): ToolPolicy => ({
  allowWrites: [],
  allowOnly: null,
  deny: [],
  ...more,
})

describe('refuseByPolicy', () => {
  test.each<[Partial<ToolPolicy>, boolean]>([
    [{}, false],
    [{ allowOnly: ['search'] }, false],
    [{ allowOnly: ['other'] }, true],
    [{ allowOnly: [] }, true],
    [{ deny: ['search'] }, true],
    [{ allowOnly: ['search'], deny: ['search'] }, true],
    [{ deny: ['other'] }, false],
  ])('with %j refuses: %s', (more, refused) => {
    const check = () => refuseByPolicy('search', 'siem', policy(more))
    if (refused) expect(check).toThrow('tool_policy of the server siem forbids search')
    else expect(check).not.toThrow()
  })

  test('names the tools that are allowed', () => {
    const check = () => refuseByPolicy('search', 'siem', policy({ allowOnly: ['list', 'get'] }))
    expect(check).toThrow('allowed: list, get')
  })
})

describe('knownTool', () => {
  test('finds a tool by its exact name', () => {
    const tools = [readTool('Search'), readTool('search')]
    expect(knownTool('search', 'siem', tools)).toBe(tools[1])
  })

  test('lists the names that there are, and guesses', () => {
    const find = () => knownTool('serach', 'siem', [readTool('search'), readTool('list_indices')])
    expect(find).toThrow(/no tool "serach"; its tools are search, list_indices; did you mean search\?/)
  })

  test('shows thirty names of many', () => {
    const tools = Array.from({ length: 40 }, (_, n) => readTool(`tool_${n}`))
    expect(() => knownTool('x', 'siem', tools)).toThrow('tool_29, … (40 in all)')
  })
})

describe('refuseWrites', () => {
  test.each([
    [true, [], false],
    [null, [], false],
    [false, [], true],
    [false, ['wipe'], false],
    [false, ['other'], true],
  ])('a tool with readOnly %s, writes allowed for %j, is refused: %s', (readOnly, allowWrites, refused) => {
    const check = () => refuseWrites(readTool('wipe', {}, { readOnly }), 'siem', policy({ allowWrites }))
    if (refused) expect(check).toThrow('changes data')
    else expect(check).not.toThrow()
  })
})

describe('toolFinding', () => {
  const strict = {
    inputSchema: { properties: { query: {}, limit: {} }, required: ['query'], additionalProperties: false },
  }
  const find = (args: string[], more = {}, tools = [readTool('search', {}, { ...strict, ...more })]) =>
    toolFinding(
      'search',
      'siem',
      tools,
      policy(),
      Object.fromEntries(args.map((name) => [name, '{{x}}'])),
    ).map(({ severity, code, message }) => [severity, code, message])

  test('has nothing to say about arguments that fit', () => {
    expect(find(['query', 'limit'])).toEqual([])
  })

  test('warns of a required argument that is not set: a paging parameter may set it', () => {
    expect(find(['limit'])).toEqual([
      ['warning', 'ARGUMENT_INVALID', expect.stringContaining('requires the argument query')],
    ])
  })

  test('refuses an argument that a strict tool does not declare', () => {
    expect(find(['query', 'limti'])).toEqual([
      ['error', 'ARGUMENT_INVALID', expect.stringMatching(/declares query, limit; did you mean limit\?/)],
    ])
  })

  test('only warns where the tool may take more than it declares', () => {
    const open = { inputSchema: { properties: { query: {} } } }
    expect(find(['query', 'more'], open)).toEqual([
      ['warning', 'ARGUMENT_INVALID', expect.stringContaining('more')],
    ])
  })

  test('asks nothing of a tool that declares nothing', () => {
    expect(find(['anything'], { inputSchema: {} })).toEqual([])
  })

  test('refuses a value of another type, as far as the value stands in the binding', () => {
    const tool = readTool('search', {}, { inputSchema: { properties: { limit: { type: 'integer' } } } })
    const found = (limit: string) => toolFinding('search', 'siem', [tool], policy(), { limit })
    expect(found('ten')).toMatchObject([
      { severity: 'error', message: expect.stringContaining('limit must be integer') },
    ])
    expect(found('{{ limit }}')).toEqual([])
  })

  test.each([
    ['an unknown tool', [readTool('list')], 'TOOL_UNKNOWN'],
    ['a tool that writes', [readTool('search', {}, { readOnly: false })], 'TOOL_REFUSED'],
  ])('finds %s', (_, tools, code) => {
    expect(find([], {}, tools)).toEqual([['error', code, expect.any(String)]])
  })
})
