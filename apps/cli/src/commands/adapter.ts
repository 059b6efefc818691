import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import {
  compileAnswer,
  type FetchSpec,
  type Json,
  RunError,
  type TableSpec,
  throwOnErrors,
} from '@huntfleet/contract'
import { fieldsOf, mapRows, openSources, type ParsedText, systemClock, toPlain } from '@huntfleet/engine'
import type { Command } from 'commander'
import { type RunOptions, withParamOptions } from '../command-options.ts'
import { prepareRun } from '../prepare-run.ts'
import { openProject, type ProjectContext } from '../project-context.ts'
import { quietLogger } from '../quiet-logger.ts'
import type { Shell } from '../shell.ts'
import { cellJson, cellText } from '../terminal/cell-text.ts'
import type { Output } from '../terminal/output.ts'
import { textTable } from '../terminal/text-table.ts'

interface AdapterTestOptions extends Omit<RunOptions, 'table'> {
  strategy?: string
  table?: string
}

const shownCell = 40

const help = `
ADAPTER is the name of a built-in adapter, a name under \`adapters\` of huntfleet.yaml, or a module file.

  huntfleet adapter test ./adapters/my-tool.ts samples/answer.txt
  huntfleet adapter test my_tool samples/answer.txt --strategy suspicious-dns --table events`

/** `huntfleet adapter test`: what an adapter makes of a text. */
export function addAdapterCommand(program: Command, shell: Shell): void {
  const group = program.command('adapter').description('try response adapters')
  withParamOptions(group.command('test <adapter> <sample>'))
    .description('show the rows that an adapter reads from a file with an answer')
    .option('--strategy <name>', 'with --table: also map and coerce the rows as this strategy does')
    .option('--table <name>', 'the table of the strategy')
    .addHelpText('after', help)
    .action(async (adapter: string, sample: string, options: AdapterTestOptions) => {
      const text = await readFile(sample, 'utf8').catch((error: Error) => {
        throw new RunError(
          'USAGE_INVALID',
          `cannot read ${sample}: ${error.message}`,
          { file: sample },
          error,
        )
      })
      const { context, spec } = await openTable(options, shell)
      const result = await readSample(context, adapter, text, spec)
      if (options.json === true) context.output.printMasked(jsonResult(adapter, sample, result))
      else printResult(context.output, result)
    })
}

/** The project, and the table whose columns are wanted, if one is named. */
async function openTable({ strategy, table, ...options }: AdapterTestOptions, shell: Shell) {
  if (strategy === undefined && table === undefined) {
    return { context: await openProject(options, shell), spec: undefined }
  }
  if (strategy === undefined || table === undefined)
    throw new RunError('USAGE_INVALID', '--strategy and --table go together')
  const { context, compiled } = await prepareRun(strategy, { ...options, table: [table] }, shell)
  const spec = compiled.specs[0]
  if (spec !== undefined) return { context, spec }
  throw new RunError('USAGE_INVALID', `${table} is not fetched by the fleet`, { table })
}

interface SampleResult {
  page: ParsedText
  ms: number
  table: (ReturnType<typeof mapRows> & { columns: { name: string; type: string }[] }) | null
}

async function readSample(
  context: ProjectContext,
  adapter: string,
  text: string,
  spec: TableSpec | undefined,
): Promise<SampleResult> {
  const { name, project } = withModule(context, adapter)
  const { masker } = context
  const sources = openSources({ project, env: process.env, masker, clock: systemClock, logger: quietLogger })
  try {
    const { adapters } = sources.vocabulary
    const parser = Object.hasOwn(adapters, name) ? adapters[name] : undefined
    if (parser === undefined) {
      throw new RunError(
        'USAGE_INVALID',
        `there is no adapter ${adapter}; known are ${Object.keys(adapters).join(', ')}, or give a module file`,
      )
    }
    throwOnErrors(await sources.checkAdapters([name]))
    const fetch: FetchSpec | undefined = spec?.fetches[0]
    const startedAt = performance.now()
    const page = await parser(text, {
      answer: fetch?.answer ?? compileAnswer({}),
      fields: spec === undefined || fetch === undefined ? [] : fieldsOf(spec.columns, fetch),
      firstPage: true,
      header: null,
    })
    const ms = Math.round(performance.now() - startedAt)
    const columns = spec?.columns.map(({ name, type }) => ({ name, type })) ?? []
    return { page, ms, table: spec === undefined ? null : { columns, ...mapRows(spec, page.rows) } }
  } finally {
    await sources.close()
  }
}

/** A module file becomes an adapter of the project, under the name of the file. */
function withModule({ project, workingDirectory }: ProjectContext, adapter: string) {
  if (!/[./\\]/.test(adapter)) return { name: adapter, project }
  const name = basename(adapter, extname(adapter))
  const adapters = { [name]: resolve(workingDirectory, adapter) }
  return { name, project: { ...project, text: { ...project.text, adapters } } }
}

function printResult(output: Output, { page, ms, table }: SampleResult): void {
  const keys = [...new Set(page.rows.flatMap((row) => [...row.keys()]))]
  const shown = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))
  output.print(`${page.rows.length} rows, ${page.rejects.length} rejects, ${ms} ms`)
  output.print(
    textTable(
      keys,
      page.rows.map((row) => keys.map((key) => (row.has(key) ? shown(toPlain(row.get(key) ?? null)) : ''))),
      shownCell,
    ),
  )
  if (table !== null) {
    output.print('')
    output.print(
      textTable(
        table.columns.map((column) => column.name),
        table.rows.map((row) => row.map((cell, i) => cellText(cell, table.columns[i]?.type ?? ''))),
        shownCell,
      ),
    )
    for (const { row, column, reason } of table.rejects)
      output.print(`reject: row ${row}${column === null ? '' : `, ${column}`}: ${reason}`)
  }
  for (const { row, reason } of page.rejects) output.print(`reject: row ${row}: ${reason}`)
  for (const note of page.notes) output.print(`note: ${note}`)
  if (page.truncation !== null) output.print(`the source sent less than it has: ${page.truncation}`)
}

function jsonResult(adapter: string, sample: string, { page, ms, table }: SampleResult) {
  const { items, rejects, notes, truncation } = page
  return {
    ...{ adapter, sample, items, rejects, notes, truncation, ms },
    rows: page.rows.map((row) => toPlain(row)),
    table:
      table === null
        ? null
        : {
            ...table,
            rows: table.rows.map((row) => row.map((cell, i) => cellJson(cell, table.columns[i]?.type ?? ''))),
          },
  }
}
