import { describe, expect, it } from 'vitest'
import { tablePage } from '../../src/scripted-mcp/generated-table.ts'
import type { GeneratedTable } from '../../src/scripted-mcp/script.ts'

const row = { id: '$i', name: 'host-$i', shard: '$i%3', at: '$i*60', tags: ['a', '$i+1'], fixed: null }

function json(table: GeneratedTable, args: Record<string, unknown>): unknown {
  const page = tablePage(table, args)
  return 'text' in page ? JSON.parse(page.text) : page.structured
}

describe('tablePage', () => {
  it('fills the template of every row', () => {
    expect(json({ rows: 1, row }, {})).toEqual([
      { id: 0, name: 'host-0', shard: 0, at: 0, tags: ['a', 1], fixed: null },
    ])
    expect(json({ rows: 5, row: { x: 'a$i%2-$i' } }, {})).toHaveLength(5)
  })

  it('pages by offset, clamps the limit and tells the total', () => {
    const table: GeneratedTable = {
      rows: 25,
      row: { id: '$i' },
      page: { by: 'offset', offset: 'q.from', limit: 'q.size', maxLimit: 10 },
      envelope: { items: 'hits', total: 'total', hasMore: 'more' },
    }
    const page = json(table, { q: { from: 20, size: 1000 } })
    expect(page).toEqual({ hits: [20, 21, 22, 23, 24].map((id) => ({ id })), total: 25, more: false })
    expect(json(table, { q: { size: 1000 } })).toMatchObject({ hits: { length: 10 }, more: true })
    expect(json(table, { q: { from: 99 } })).toMatchObject({ hits: [], more: false })
  })

  it('pages by number', () => {
    const table: GeneratedTable = { rows: 5, row: '$i', page: { by: 'page', page: 'p', limit: 'n' } }
    expect(json(table, { p: 3, n: 2 })).toEqual([4])
    expect(json(table, { n: '2' })).toEqual([0, 1])
  })

  it('hands out cursors until the end', () => {
    const table: GeneratedTable = {
      rows: 7,
      row: '$i',
      page: { by: 'cursor', cursor: 'after', limit: 'n', defaultLimit: 3 },
      envelope: { items: 'items', nextCursor: 'next' },
    }
    const seen: unknown[] = []
    let args: Record<string, unknown> = {}
    for (let call = 0; call < 3; call += 1) {
      const page = Object(json(table, args))
      seen.push(...page.items)
      args = { after: page.next }
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(args).toEqual({ after: null })
  })

  it('writes csv and ndjson', () => {
    const quoted = { a: 'x,$i', b: 'say "$i"', c: null, d: '' }
    expect(tablePage({ rows: 1, row: quoted, as: 'csv' }, {})).toEqual({
      text: 'a,b,c,d\r\n"x,0","say ""0""",,""',
    })
    expect(tablePage({ rows: 2, row: { n: '$i' }, as: 'ndjson' }, {})).toEqual({ text: '{"n":0}\n{"n":1}' })
  })
})
