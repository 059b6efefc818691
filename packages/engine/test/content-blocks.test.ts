import type { AnswerSpec } from '@huntfleet/contract'
import { cpuTime } from '@huntfleet/testing'
import { describe, expect, it } from 'vitest'
import { linkUris, selectTexts } from '../src/content-blocks.ts'
import type { ContentBlock, ToolResult } from '../src/ports.ts'
import { contextOf } from './formats/format-context.ts'

const result = (content: readonly ContentBlock[]): ToolResult => ({
  content,
  structuredContent: undefined,
  meta: undefined,
  isError: false,
  bytes: 0,
})
const texts = (...all: string[]) => result(all.map((text) => ({ type: 'text', text })))
const select = (from: ToolResult, options: Partial<AnswerSpec> = {}) => {
  return selectTexts(from, contextOf([], options).answer)
}

describe('selectTexts', () => {
  const choices: [options: Partial<AnswerSpec>, chosen: string[]][] = [
    [{}, ['a', 'b', 'c']],
    [{ blocks: 'all' }, ['a', 'b', 'c']],
    [{ blocks: 'each' }, ['a', 'b', 'c']],
    [{ blocks: 'first' }, ['a']],
    [{ blocks: 'last' }, ['c']],
    [{ blocks: 1 }, ['b']],
    [{ blocks: -1 }, ['c']],
    [{ skipBlocks: 1 }, ['b', 'c']],
    [{ skipBlocks: 1, blocks: 'first' }, ['b']],
    [{ matchBlocks: '^[bc]' }, ['b', 'c']],
  ]
  it.each(choices)('with %j chooses %j', (options, chosen) => {
    expect(select(texts('a', 'b', 'c'), options)).toMatchObject({ texts: chosen, missing: null })
  })

  it('keeps the prose that was not chosen aside, never the JSON', () => {
    expect(select(texts('Total: 3', '{"x":1}', '[1]'), { blocks: 2 }).aside).toEqual(['Total: 3'])
  })

  it('says so when the block is not there, and counts nothing missing in an empty answer', () => {
    expect(select(texts('a'), { blocks: 3 }).missing?.message).toContain('block 3')
    expect(select(texts('a'), { matchBlocks: 'z' }).missing?.message).toContain('match: z')
    expect(select(texts(), { blocks: 3 }).missing).toBeNull()
  })

  it('takes embedded resources where they are wanted or where there is no text', () => {
    const both = result([
      { type: 'text', text: 'prose' },
      { type: 'resource', text: 'rows', uri: 'mem://1' },
      { type: 'image' },
    ])
    expect(select(both)).toMatchObject({ texts: ['prose'] })
    expect(select(both, { contentFrom: 'resource' })).toMatchObject({ texts: ['rows'], aside: ['prose'] })
    expect(select(both, { followLinks: true })).toMatchObject({ texts: ['rows'], aside: ['prose'] })
    expect(select(both, { contentFrom: 'structured' })).toMatchObject({ texts: [], aside: ['prose'] })
    expect(select(result([{ type: 'resource', text: 'rows' }]))).toMatchObject({ texts: ['rows'] })
  })

  it('chooses among a hundred thousand blocks in linear time', () => {
    const many = texts(...Array.from({ length: 100_000 }, (_, index) => `block ${index}`))
    const spent = cpuTime()
    expect(select(many, { skipBlocks: 50_000 }).aside).toHaveLength(50_000)
    expect(spent()).toBeLessThan(2_000)
  })
})

describe('linkUris', () => {
  it('lists the links in order', () => {
    const blocks = [
      { type: 'resource_link', uri: 'mem://1' },
      { type: 'text', text: 'x' },
      { type: 'resource_link', uri: 'mem://2' },
      { type: 'resource_link' },
    ]
    expect(linkUris(result(blocks))).toEqual(['mem://1', 'mem://2'])
  })
})
