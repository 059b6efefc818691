import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Manifest, manifestSchema, type TableEntry } from '@huntfleet/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AnswerCase, Expected } from './answer-case.ts'
import { type AnswerProject, tableOf, writeProject } from './answer-project.ts'
import { runCli } from './cli-run.ts'
import { ParquetReader, type ParquetTable } from './parquet-cells.ts'

/** Runs the cases of a kind: one strategy with a table per case, one run, one test per case. */
export function testAnswers(kind: string, cases: readonly AnswerCase[]): void {
  describe(kind, () => {
    let project: AnswerProject
    let manifest: Manifest
    let stderr: string
    let reader: ParquetReader

    beforeAll(async () => {
      project = writeProject(cases)
      reader = await ParquetReader.open()
      // A worker's own time zone must show nowhere.
      vi.stubEnv('TZ', 'America/Caracas')
      const run = await runCli(project.args)
      vi.unstubAllEnvs()
      stderr = run.stderr
      manifest = manifestSchema.parse(JSON.parse(run.stdout))
    })
    afterAll(() => {
      reader[Symbol.dispose]()
      rmSync(project.folder, { recursive: true })
    })

    const read = (path: string | null) =>
      path === null ? Promise.resolve(null) : reader.read(join(project.folder, 'out', path))

    for (const [index, one] of cases.entries()) {
      test(one.title, async () => {
        const table = tableOf(index)
        const { columns, expect: expected } = one
        const entry = manifest.tables[table]
        if (entry === undefined) throw new Error(`the manifest has no ${table}`)
        expectEntry(entry, expected)
        expectTable(await read(entry.path), Object.keys(columns), expected)
        const rejects = await read(entry.rejects_path)
        expectRejects(rejects, expected)
        const said = JSON.stringify([entry, rejects?.rows, linesOf(stderr, table)])
        for (const word of expected.unsaid ?? []) expect(said).not.toContain(word)
        if (expected.calls !== undefined) expect(callsOf(project, table)).toBe(expected.calls)
      })
    }
  })
}

function expectEntry(entry: TableEntry, expected: Expected): void {
  const rejected = Object.entries(entry.columns).flatMap(([name, { rejects }]) =>
    rejects > 0 ? [[name, rejects]] : [],
  )
  expect({
    outcome: entry.outcome,
    reason: entry.error === null ? '' : entry.error.message,
    rejects: entry.rejects,
    rejectedIn: Object.fromEntries(rejected),
    dropped: entry.rows_dropped,
    duplicates: entry.duplicates,
  }).toEqual({
    outcome: expected.outcome ?? (expected.error === undefined ? 'complete' : 'failed'),
    reason: expected.error === undefined ? '' : expect.any(String),
    rejects: expected.rejects ?? 0,
    rejectedIn: expected.rejectedIn ?? (expected.rejects === undefined ? {} : expect.any(Object)),
    dropped: expected.dropped ?? 0,
    duplicates: expected.duplicates ?? 0,
  })
  if (expected.error !== undefined) {
    expect(entry.error?.kind).toBe(expected.error.kind)
    const said = entry.error?.message.toLowerCase()
    for (const word of expected.error.words ?? []) expect(said).toContain(word.toLowerCase())
  }
  const notes = entry.notes.join('\n').toLowerCase()
  for (const word of expected.notes ?? []) expect(notes).toContain(word.toLowerCase())
}

function expectTable(table: ParquetTable | null, columns: readonly string[], expected: Expected): void {
  if (expected.rows === undefined && expected.rowCount === undefined) return
  expect(table, 'a table with a file').not.toBeNull()
  if (expected.rows !== undefined) expect(table?.rows).toEqual(expected.rows)
  if (expected.rowCount !== undefined) expect(table?.rows.length).toBe(expected.rowCount)
  expect(Object.keys(table?.types ?? {}), 'contract order').toEqual(columns)
  expect(table?.types).toMatchObject(expected.types ?? {})
}

function expectRejects(rejects: ParquetTable | null, expected: Expected): void {
  const said = (rejects?.rows ?? []).map((row) => row.map(String).join(' ')).join('\n')
  for (const word of expected.rejectWords ?? []) expect(said).toContain(word)
}

function linesOf(stderr: string, table: string): string[] {
  return stderr.split('\n').filter((line) => line.startsWith(`${table}:`))
}

function callsOf({ callLog }: AnswerProject, table: string): number {
  const lines = readFileSync(callLog, 'utf8').split('\n')
  return lines.filter((line) => line !== '' && JSON.parse(line).tool === table).length
}
