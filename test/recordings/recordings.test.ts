import { readFile, stat, writeFile } from 'node:fs/promises'
import type { Manifest } from '@huntfleet/contract'
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ParquetReader } from '../cases/answers/parquet-cells.ts'
import { type RecordedProject, recordedProject, secret } from './recorded-project.ts'

let project: RecordedProject
let live: Manifest
let saved: string
let scrubbed: string
let reader: ParquetReader

beforeAll(async () => {
  reader = await ParquetReader.open()
  project = await recordedProject()
  live = await project.run('--save', project.file('saved.ndjson'))
  await project.run('--save', project.file('scrubbed.ndjson'), '--scrub')
  saved = await readFile(project.file('saved.ndjson'), 'utf8')
  scrubbed = await readFile(project.file('scrubbed.ndjson'), 'utf8')
  await project.goOffline()
})
afterAll(async () => {
  reader[Symbol.dispose]()
  await project[Symbol.asyncDispose]()
})

const pathOf = (manifest: Manifest, table: string) =>
  project.file(`out/${manifest.tables[table]?.path ?? 'missing'}`)
const rowsOf = async (manifest: Manifest, table: string) => (await reader.read(pathOf(manifest, table))).rows

/** What must be the same in a replay: everything but times, ids and where it came from. */
const factsOf = (manifest: Manifest) =>
  Object.entries(manifest.tables).map(
    ([table, { outcome, reason, proof, rows, pages, calls, retries, rejects, notes, server_version }]) => ({
      ...{ table, outcome, reason, proof, rows, pages, calls, retries, rejects, notes, server_version },
    }),
  )

describe('a recording', () => {
  test('is readable by its owner only and holds a line per call', async () => {
    expect((await stat(project.file('saved.ndjson'))).mode & 0o777).toBe(0o600)
    const lines = saved
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines[0]).toMatchObject({ recording: 1, strategy: 'recorded', window: { start: null, end: null } })
    const calls = lines.filter((line) => line.kind === 'call' && line.table === 'cursors')
    expect(calls.map((line) => [line.args.after, line.result?.isError])).toEqual([
      [undefined, false],
      ['c-Alpha-1', true],
      ['c-Alpha-1', false],
      ['c-Beta-2', false],
    ])
    expect(calls[0]).toMatchObject({
      server: 'scripted',
      tool: 'events',
      scrubbed: false,
      ms: expect.any(Number),
    })
    expect(calls[0].args).toMatchObject({ run: 'of {{run.id}}', pass: '***' })
  })

  test('holds no secret, in arguments or answers', () => {
    expect(saved).not.toContain(secret)
    expect(saved).toContain('srv-11.corp.example')
  })

  test('never holds the values of a table with a sensitive column', () => {
    expect(saved).not.toContain('Grace')
    expect(saved).not.toContain('9007199254740993')
    expect(saved).toMatch(/"table":"people".*"scrubbed":true|"scrubbed":true.*"table":"people"/)
  })

  test('with --scrub holds no value, only keys and structure', () => {
    for (const word of ['srv-', 'corp', 'Alpha', 'Beta', 'alpha', 'first line', 'example', '12:00:00'])
      expect(scrubbed).not.toContain(word)
    expect(scrubbed).toContain('\\"hits\\"')
    expect(scrubbed).toContain('Columns: host | hits')
  })
})

describe('a replay', () => {
  test('fetches the same rows without server or secret, and says that it is one', async () => {
    const replayed = await project.run('--replay', project.file('saved.ndjson'))
    expect(factsOf(replayed)).toEqual(factsOf(live))
    expect(replayed.status).toBe('complete')
    expect(live.tables['cursors']).toMatchObject({ rows: 5, pages: 3, calls: 4, retries: 1, source: 'live' })
    expect(Object.values(replayed.tables).map((table) => table.source)).toEqual(Array(4).fill('replay'))
    expect(replayed.scheduled_at).toBe(live.scheduled_at)
    expect(replayed.run_id).not.toBe(live.run_id)
    for (const table of ['cursors', 'texts', 'lines'])
      expect(await rowsOf(replayed, table)).toEqual(await rowsOf(live, table))
    const footer = await parquetMetadataAsync(await asyncBufferFromFile(pathOf(replayed, 'cursors')))
    expect(footer.key_value_metadata).toContainEqual({ key: 'huntfleet.source', value: 'replay' })
  })

  test('of a scrubbed recording follows the fake cursors to as many rows of the same types', async () => {
    const replayed = await project.run('--replay', project.file('scrubbed.ndjson'))
    expect(factsOf(replayed)).toEqual(factsOf(live))
    const rows = await rowsOf(replayed, 'cursors')
    expect(rows).toHaveLength(5)
    expect(new Set(rows.map(([, host]) => host)).size).toBe(5)
    for (const [id, host, at] of rows) {
      expect(String(id)).toMatch(/^1\d$/)
      expect(host).toMatch(/^[a-z]{3}-\d\d\.[a-z]{4}\.[a-z]{7}$/)
      expect(String(at)).toMatch(/^2026-11-\d\d/)
    }
    expect(rows).not.toEqual(await rowsOf(live, 'cursors'))
  })

  test('names the call that was not recorded', async () => {
    const manifest = await project.run(
      '--replay',
      project.file('saved.ndjson'),
      '--param',
      'since=2026-01-01T00:00:00Z',
    )
    expect(manifest.tables['cursors']).toMatchObject({
      outcome: 'failed',
      source: 'replay',
      error: {
        code: 'USAGE_INVALID',
        message: expect.stringMatching(
          /the call scripted\.events \{.*2026-01-01.*\} of table cursors is not in the recording/,
        ),
      },
    })
  })

  test.each([
    ['nothing', '', 'is empty'],
    ['another format', '{"version": 3}\n', 'does not begin as one of version 1'],
    ['no JSON', 'hello\n', 'does not begin as one of version 1'],
  ])('refuses a file that holds %s', async (_, content, message) => {
    await writeFile(project.file('other.ndjson'), content)
    const { exit, stdout } = await project.cli(
      'run',
      project.folder,
      '--json',
      '--replay',
      project.file('other.ndjson'),
    )
    expect(exit).toBe(2)
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining(message),
    })
  })

  test.each([
    [['--save', 'x.ndjson', '--replay', 'y.ndjson'], 'exclude each other'],
    [['--scrub'], '--scrub goes with --save'],
  ])('refuses %j', async (options, message) => {
    const { exit, stderr } = await project.cli('run', project.folder, ...options)
    expect(exit).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe('preview --save', () => {
  test('records one page, which a replay begins with', async () => {
    await using online = await recordedProject()
    const file = online.file('page.ndjson')
    expect((await online.cli('preview', online.folder, 'cursors', '--save', file)).exit).toBe(0)
    await online.goOffline()
    const manifest = await online.run('--replay', file, '--table', 'cursors')
    expect(manifest.tables['cursors']).toMatchObject({ outcome: 'page_error', rows: 2, source: 'replay' })
  })
})
