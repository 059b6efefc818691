import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Manifest, manifestSchema } from '@huntfleet/contract'
import type { ScriptedCall } from '@huntfleet/testing'
import { afterAll, beforeAll, describe, type ExpectStatic, test } from 'vitest'
import type { Cell } from '../answers/answer-case.ts'
import { ParquetReader } from '../answers/parquet-cells.ts'
import { type CommandEnd, CommandRunner, spawnCommand } from './command-line.ts'
import type { Expected, RequestCase } from './request-case.ts'
import { openProject, type RequestProject } from './request-project.ts'

/** Runs the cases of some kinds, several at once, each with a project and a server of its own. */
export function testRequests(kinds: Readonly<Record<string, readonly RequestCase[]>>): void {
  let reader: ParquetReader
  let runner: CommandRunner
  beforeAll(async () => {
    runner = new CommandRunner()
    reader = await ParquetReader.open()
  })
  afterAll(() => {
    reader[Symbol.dispose]()
    runner[Symbol.dispose]()
  })
  for (const [kind, cases] of Object.entries(kinds)) {
    describe.concurrent(kind, () => {
      test.for(cases)('$title', async (one, { expect }) => {
        const interruption = new AbortController()
        let calls = 0
        const project = await openProject(one, () => {
          calls += 1
          if (calls === one.interruptAtCall) interruption.abort()
        })
        try {
          const startedAt = Date.now()
          const end = await (one.env === undefined && one.interruptAtCall === undefined
            ? runner.run(project.args)
            : spawnCommand(project.args, one.env ?? {}, interruption.signal))
          const ms = Date.now() - startedAt
          const manifest = one.plain === true ? undefined : manifestOf(end)
          await check(one, { end, manifest, ms, project, reader, expect })
        } finally {
          await project.close()
          rmSync(project.folder, { recursive: true })
        }
      })
    })
  }
}

interface Facts {
  end: CommandEnd
  manifest: Manifest | undefined
  ms: number
  project: RequestProject
  reader: ParquetReader
  /** Of the test: several run at once. */
  expect: ExpectStatic
}

/** The document alone on stdout: undefined when it is no manifest. */
function manifestOf({ stdout }: CommandEnd): Manifest | undefined {
  return manifestSchema.safeParse(JSON.parse(stdout)).data
}

async function check(one: RequestCase, facts: Facts): Promise<void> {
  const { end, manifest, ms, project, expect } = facts
  const wanted = one.expect
  expect.soft(end.exit, `exit code; it said: ${end.stderr.slice(0, 400)}`).toBe(wanted.exit ?? 0)
  checkTable(wanted, facts)
  checkCalls(wanted, project.calls(), expect)
  if (wanted.error !== undefined) checkError(wanted.error, facts)
  checkWords(wanted, facts)
  await checkRows(wanted, facts)
  if (wanted.within !== undefined) expect.soft(ms).toBeLessThan(wanted.within)
  if (wanted.manifest !== undefined) {
    if (manifest === undefined) throw new Error('there is no manifest')
    wanted.manifest(manifest)
  }
}

function checkTable(wanted: Expected, { manifest, expect }: Facts): void {
  const events = manifest?.tables['events']
  const outcome =
    wanted.outcome ?? (wanted.exit === undefined && wanted.outcomes === undefined ? 'complete' : undefined)
  if (outcome !== undefined && manifest !== undefined)
    expect.soft(events?.outcome, events?.reason ?? 'no entry').toBe(outcome)
  else if (wanted.outcome !== undefined) expect.soft(events?.outcome).toBe(wanted.outcome)
  for (const [table, word] of Object.entries(wanted.outcomes ?? {}))
    expect.soft(manifest?.tables[table]?.outcome, table).toBe(word)
  if (wanted.proof !== undefined) expect.soft(events?.proof).toBe(wanted.proof)
  if (wanted.retries !== undefined) expect.soft(events?.retries).toBe(wanted.retries)
  if (wanted.rowCount !== undefined) expect.soft(events?.rows).toBe(wanted.rowCount)
  for (const word of wanted.notes ?? []) expect.soft(events?.notes.join('\n')).toContain(word)
}

function checkCalls(wanted: Expected, calls: readonly ScriptedCall[], expect: ExpectStatic): void {
  if (wanted.calls !== undefined) expect.soft(calls.map((call) => call.args)).toEqual(wanted.calls)
  if (wanted.tools !== undefined) expect.soft(calls.map((call) => call.tool)).toEqual(wanted.tools)
  if (wanted.callCount !== undefined) {
    const [least, most] =
      typeof wanted.callCount === 'number' ? [wanted.callCount, wanted.callCount] : wanted.callCount
    expect.soft(calls.length, 'calls').toBeGreaterThanOrEqual(least)
    expect.soft(calls.length, 'calls').toBeLessThanOrEqual(most)
  }
  for (const [index, ms] of Object.entries(wanted.waits ?? {})) {
    const [before, call] = [calls[Number(index) - 1], calls[Number(index)]]
    // Timers may fire a millisecond early.
    expect.soft((call?.t ?? 0) - (before?.t ?? 0), `wait before call ${index}`).toBeGreaterThanOrEqual(ms - 2)
  }
}

interface ErrorDocument {
  code?: string
  kind?: string
  message?: string
  hint?: string
  file?: string
  line?: number
  column?: number
  issues?: { message: string; file?: string; line?: number; column?: number }[]
}

function checkError(wanted: NonNullable<Expected['error']>, { end, manifest, expect }: Facts): void {
  const error: ErrorDocument | null | undefined =
    manifest === undefined ? JSON.parse(end.stdout).error : manifest.tables['events']?.error
  if (error == null) throw new Error(`there is no error: ${end.stderr.slice(0, 400)}`)
  if (wanted.kind !== undefined) expect.soft(error.kind).toBe(wanted.kind)
  if (wanted.code !== undefined) expect.soft(error.code).toBe(wanted.code)
  const issues = error.issues ?? [{ ...error, message: error.message ?? '' }]
  const said = [
    error.message,
    error.hint,
    error.file,
    ...issues.map((issue) => `${issue.message} ${issue.file}`),
  ]
  for (const word of wanted.words ?? [])
    expect.soft(said.join('\n').toLowerCase()).toContain(word.toLowerCase())
  if (wanted.issues !== undefined) expect.soft(issues.length).toBe(wanted.issues)
  const places = issues.map((issue) => `${issue.file}:${issue.line}:${issue.column}`)
  if (wanted.place !== undefined) expect.soft(places.join('\n')).toMatch(wanted.place)
}

function checkWords(wanted: Expected, { end: { stdout, stderr }, expect }: Facts): void {
  const said = `${stdout}\n${stderr}`
  for (const word of wanted.says ?? []) expect.soft(said.toLowerCase()).toContain(word.toLowerCase())
  for (const word of wanted.unsaid ?? []) {
    if (typeof word === 'string') expect.soft(said).not.toContain(word)
    else expect.soft(said).not.toMatch(word)
  }
}

async function checkRows(wanted: Expected, { manifest, project, reader, expect }: Facts): Promise<void> {
  const path = manifest?.tables['events']?.path ?? null
  if (wanted.ids === undefined) return
  const rows: Cell[][] = path === null ? [] : (await reader.read(join(project.folder, 'out', path))).rows
  expect.soft(rows.map((row) => row[0])).toEqual(wanted.ids)
  if (path !== null) expect.soft(manifest?.tables['events']?.rows).toBe(rows.length)
}
