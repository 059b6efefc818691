import { readdirSync, readFileSync } from 'node:fs'
import { type AnswerSpec, RunError } from '@huntfleet/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Format } from '../src/format.ts'
import { json } from '../src/formats/json.ts'
import { compactJson } from '../src/json/compact.ts'
import { toExact } from '../src/json/to-exact.ts'
import type { ContentBlock, ToolResult } from '../src/ports.ts'
import { type AnswerPage, linkUris, readAnswer, readDocuments } from '../src/read-answer.ts'
import { contextOf } from './formats/format-context.ts'

/** One answer and what is read from it: a file of `golden/answers`. */
interface Golden {
  texts: string[]
  structured?: unknown
  answer?: Partial<AnswerSpec>
  fields: string[]
  firstPage?: boolean
  rows?: unknown[]
  /** The rows as text, where a number's digits matter. */
  rowsText?: string
  rejects?: number
  items?: number
  truncation?: string
  notes?: string[]
  text?: string[]
  error?: string
  message?: string[]
  hint?: string[]
  retryAfterMs?: number
}

/** A stand-in for the text formats: one row per line. */
const lines: Format = (text) => {
  const rows = text.split('\n').map((line) => new Map([['line', line]]))
  if (text.includes('refuse')) throw new RunError('PARSE_FAILED', 'refused')
  const envelope = undefined
  return { rows, rejects: [], items: rows.length, envelope, remainder: '', notes: [], truncation: null }
}
const vocabulary = { formats: { json, lines }, adapters: { shout: lines } }

function resultOf(content: readonly ContentBlock[], more: Partial<ToolResult> = {}): ToolResult {
  return { content, structuredContent: undefined, meta: undefined, isError: false, bytes: 1, ...more }
}

const textBlocks = (texts: readonly string[]) => texts.map((text) => ({ type: 'text', text }))

function read(
  result: ToolResult,
  answer: Partial<AnswerSpec> = {},
  fields = ['id'],
  firstPage = true,
  links: string[] = [],
) {
  return readAnswer(
    result,
    { ...contextOf(fields, { format: 'json', ...answer }), firstPage, links },
    vocabulary,
  )
}

const rowsText = (page: AnswerPage) => `[${page.rows.map((row) => compactJson(row)).join(',')}]`

async function errorOf(promise: Promise<unknown>): Promise<RunError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown instanceof RunError) return thrown
  throw new Error(`expected a RunError, got ${String(thrown)}`)
}

const folder = new URL('golden/answers/', import.meta.url)
const goldens = readdirSync(folder).map((name): [string, Golden] => [
  name.replace('.json', '').replaceAll('-', ' '),
  JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
])

describe('readAnswer', () => {
  it.each(goldens.filter(([, { error }]) => error === undefined))('reads %s', async (_, golden) => {
    const result = resultOf(textBlocks(golden.texts), { structuredContent: golden.structured })
    const page = await read(result, golden.answer, golden.fields, golden.firstPage)
    expect(rowsText(page)).toBe(golden.rowsText ?? compactJson(toExact(golden.rows)))
    expect(page.rejects).toHaveLength(golden.rejects ?? 0)
    expect(page.items).toBe(golden.items)
    expect(page.truncation).toBe(golden.truncation ?? null)
    for (const piece of golden.text ?? []) expect(page.text).toContain(piece)
    for (const piece of golden.notes ?? []) expect(page.notes.join('\n')).toContain(piece)
    expect(page.rejects.every((reject) => !reject.stored && reject.raw !== '' && reject.row > 0)).toBe(true)
  })

  it.each(goldens.filter(([, { error }]) => error !== undefined))('refuses %s', async (_, golden) => {
    const result = resultOf(textBlocks(golden.texts), { structuredContent: golden.structured })
    const error = await errorOf(read(result, golden.answer, golden.fields, golden.firstPage))
    expect(error.code).toBe(golden.error)
    for (const piece of golden.message ?? []) expect(error.message).toContain(piece)
    for (const piece of golden.hint ?? []) expect(error.context.hint).toContain(piece)
    if (golden.retryAfterMs !== undefined) expect(error.context.retryAfterMs).toBe(golden.retryAfterMs)
  })

  it('makes an answer with isError the tool’s own words, classified', async () => {
    const denied = resultOf(textBlocks(['{"error":"Permission denied","query":"rate limit"}']), {
      isError: true,
    })
    expect(await errorOf(read(denied))).toMatchObject({ code: 'SOURCE_DENIED', message: 'Permission denied' })
    const limited = resultOf(textBlocks(['429 Too Many Requests, retry after 3 seconds']), { isError: true })
    expect((await errorOf(read(limited))).context.retryAfterMs).toBe(3_000)
    const structured = resultOf([], { isError: true, structuredContent: { message: 'no such index' } })
    expect((await errorOf(read(structured))).message).toBe('no such index')
    expect((await errorOf(read(resultOf([], { isError: true })))).code).toBe('TOOL_FAILED')
  })

  it('gives formats and adapters the text blocks joined by a newline, and blank text no rows', async () => {
    const result = resultOf(textBlocks(['a', 'b']))
    expect(rowsText(await read(result, { format: 'lines' }))).toBe('[{"line":"a"},{"line":"b"}]')
    expect((await read(result, { adapter: 'shout' })).items).toBe(2)
    expect((await read(result, { format: 'lines', blocks: 'each' })).items).toBe(3)
    expect((await read(resultOf(textBlocks([' \n'])), { format: 'lines' })).items).toBe(0)
    expect((await read(resultOf([]), { format: 'lines' })).items).toBe(0)
  })

  it('decodes the text at text_path with the format of the binding', async () => {
    const result = resultOf(textBlocks(['{"content":"a\\nb","next":"c2"}']))
    const page = await read(result, { format: 'lines', textPath: 'content' })
    expect(rowsText(page)).toBe('[{"line":"a"},{"line":"b"}]')
    expect(page.text).toBe('{"next":"c2"}')
  })

  it('cuts a text out between marks, and says when the closing mark is missing', async () => {
    const marks = { format: 'lines', extractBetween: ['<T>', '</T>'] as [string, string] }
    const page = await read(resultOf(textBlocks(['<M>1</M>\n<T>\na\nb\n</T>'])), marks)
    expect(rowsText(page)).toBe('[{"line":"a"},{"line":"b"}]')
    expect(page.text).toContain('<M>1</M>')
    const error = await errorOf(read(resultOf(textBlocks(['<T>\na'])), marks))
    expect(error.message).toContain('cut off')
  })

  it('lets an error in the text explain why a format refused it', async () => {
    const refused = (text: string) => errorOf(read(resultOf(textBlocks([text])), { format: 'lines' }))
    expect((await refused('refuse: Too many requests')).code).toBe('SOURCE_RATE_LIMITED')
    expect((await refused('refuse')).code).toBe('PARSE_FAILED')
    expect((await refused('refuse\nrow: forbidden')).code).toBe('PARSE_FAILED')
  })

  it('names the formats it knows when the binding names another', async () => {
    const error = await errorOf(read(resultOf(textBlocks(['x'])), { format: 'xml' }))
    expect(error).toMatchObject({ code: 'BINDING_INVALID' })
    expect(error.message).toContain('json, lines')
    await errorOf(read(resultOf(textBlocks(['x'])), { format: 'constructor' }))
  })

  it('takes rows from resources when asked to, or when links were followed', async () => {
    const blocks = [
      { type: 'text', text: 'see the resource' },
      { type: 'resource', uri: 'mem://1', text: '[{"id":1}]' },
    ]
    expect((await read(resultOf(blocks), { contentFrom: 'resource' })).items).toBe(1)
    expect((await errorOf(read(resultOf(blocks)))).code).toBe('PARSE_FAILED')
    expect((await read(resultOf(blocks.slice(1)))).items).toBe(1)
    const link = resultOf([
      { type: 'text', text: 'linked' },
      { type: 'resource_link', uri: 'mem://2' },
    ])
    expect(linkUris(link)).toEqual(['mem://2'])
    const page = await read(link, { followLinks: true }, ['id'], true, ['[{"id":2}]'])
    expect(rowsText(page)).toBe('[{"id":2}]')
    const only = await errorOf(read(resultOf([{ type: 'resource_link', uri: 'mem://2' }])))
    expect(only.context.hint).toContain('follow_links')
  })

  it('looks cursors up in the JSON, then in structuredContent, then in _meta', async () => {
    const result = resultOf(textBlocks(['{"rows":[{"id":1}],"total":2}']), {
      structuredContent: { rows: [{ id: 1 }], next: 's' },
      meta: { page: 'm' },
    })
    const page = await read(result, { itemsPath: 'rows' })
    const texts = [...page.lookups].map((document) => compactJson(document))
    expect(texts).toEqual(['{"rows":[{"id":1}],"total":2}', '{"rows":[{"id":1}],"next":"s"}', '{"page":"m"}'])
  })

  it.each([
    ['as many rows', '[{"id":1},{"id":2}]', { result: [{ id: 1 }, { id: 2 }] }, false],
    ['more rows', '[{"id":1}]', { result: [{ id: 1 }, { id: 2 }] }, true],
    ['fewer rows', '[{"id":1},{"id":2}]', { result: [{ id: 1 }] }, true],
    ['no rows', '[{"id":1}]', { result: [] }, true],
    ['facts about the rows', '[{"id":1},{"id":2}]', { count: 2, status: 'ok' }, false],
    ['rows elsewhere', '[{"id":1}]', { events: [{ id: 1 }, { id: 2 }] }, false],
  ])(
    'takes rows from the text, and notes when structuredContent counts otherwise: %s',
    async (_, text, structuredContent, told) => {
      const result = resultOf(textBlocks([text]), { structuredContent })
      const page = await read(result)
      expect(rowsText(page)).toBe(text)
      expect(page.notes.some((note) => note.includes('structuredContent holds another number'))).toBe(told)
      for (const answer of [{ contentFrom: 'text' }, { blocks: 'first' }] as const) {
        expect((await read(result, answer)).notes).toEqual([])
      }
    },
  )

  it('never looks a cursor up in rows', async () => {
    const page = await read(resultOf(textBlocks(['{"id":1,"next":"row"}', '{"id":2,"next":"row"}'])))
    expect([...page.lookups]).toEqual([])
  })

  it('gives the same fingerprint to the same rows, whatever stands around them', async () => {
    const print = async (text: string) =>
      (await read(resultOf(textBlocks([text])), { itemsPath: 'rows' })).fingerprint
    const first = await print('{"took":1,"rows":[{"id":1}]}')
    expect(await print('{"took":22,"rows":[{"id":1}],"request":"r-2"}')).toBe(first)
    expect(await print('{"took":1,"rows":[{"id":2}]}')).not.toBe(first)
    expect(first).toMatch(/^[0-9a-f]{32}$/)
  })

  it('reads rows alike whatever words their cells hold', async () => {
    const words = fc.constantFrom(
      'rate limit exceeded',
      '... and 3 more rows',
      '"truncated": true',
      'no results found',
      'error: 403 forbidden',
      '```json\n[]\n```',
      '\u0000\ufeff',
      '{"success": false}',
    )
    const cell = fc.oneof(
      words,
      fc.record({ error: words, status: fc.constant('failed'), truncated: fc.constant(true) }),
    )
    const row = fc.dictionary(fc.constantFrom('id', 'error', 'success', 'truncated', 'message'), cell)
    const shapes = fc.constantFrom<(rows: unknown[]) => [string[], Partial<AnswerSpec>]>(
      (rows) => [[JSON.stringify(rows, null, 1)], {}],
      (rows) => [[JSON.stringify({ hits: rows, n: 1 })], { itemsPath: 'hits' }],
      (rows) => [['Found:', `\`\`\`json\n${JSON.stringify(rows)}\n\`\`\``], {}],
      (rows) => [rows.map((one) => JSON.stringify(one)), { blocks: 'each' }],
    )
    const rules: Partial<AnswerSpec> = {
      emptyWhen: [{ on: 'text', pattern: 'no results', class: 'auto' }],
      truncatedWhen: [{ on: 'text', pattern: 'truncated|more rows', class: 'auto' }],
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 2, maxLength: 4 }),
        shapes,
        fc.boolean(),
        async (rows, shape, declared) => {
          const [texts, answer] = shape(rows)
          const page = await read(resultOf(textBlocks(texts)), { ...answer, ...(declared ? rules : {}) })
          expect(rowsText(page)).toBe(compactJson(toExact(rows)))
          expect([page.truncation, page.rejects.length, page.items]).toEqual([null, 0, rows.length])
        },
      ),
    )
  })

  it('survives answers nested 20,000 levels deep and objects of a hundred thousand keys', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    expect((await read(resultOf(textBlocks([deep])))).rejects).toHaveLength(1)
    const objects = `${'{"error":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    expect((await errorOf(read(resultOf(textBlocks([objects]))))).code).toBe('TOOL_FAILED')
    expect((await read(resultOf(textBlocks([`[{"id":${objects}}]`])))).rows).toHaveLength(1)
    const wide = `{${Array.from({ length: 100_000 }, (_, key) => `"k${key}":{}`).join(',')}}`
    const error = await errorOf(read(resultOf(textBlocks([wide]))))
    expect(error.message.length).toBeLessThan(5_000)
  })
})

describe('readDocuments', () => {
  it('gives the JSON of the texts, structuredContent and _meta', () => {
    const result = resultOf(textBlocks(['submitted', '{"job":7}']), {
      structuredContent: { s: 1 },
      meta: { m: 2 },
    })
    expect(readDocuments(result).map((document) => compactJson(document))).toEqual([
      '{"job":7}',
      '{"s":1}',
      '{"m":2}',
    ])
  })

  it('throws for an error and for an answer without JSON', () => {
    expect(() =>
      readDocuments(resultOf(textBlocks(['{"status":"failed","message":"search died"}']))),
    ).toThrow('search died')
    expect(() => readDocuments(resultOf(textBlocks(['nope']), { isError: true }))).toThrow('nope')
    expect(() => readDocuments(resultOf(textBlocks(['nope'])))).toThrow('no JSON')
  })
})
