import type { FetchSpec, JsonObject, TableSpec } from '@huntfleet/contract'
import { argumentBuilder, createPaginator } from '@huntfleet/engine'
import type { Command } from 'commander'
import { type RunOptions, withRunOptions } from '../command-options.ts'
import { prepareRun } from '../prepare-run.ts'
import type { Shell } from '../shell.ts'

/** The first call of one source of a table, as far as it is known without asking the server. */
interface PlannedCall {
  server: string
  tool: string
  part: string
  args: JsonObject
  pagination: string
}

/** `huntfleet plan`: the exact calls, nothing sent. */
export function addPlanCommand(program: Command, shell: Shell): void {
  withRunOptions(program.command('plan <strategy>'))
    .description('show the exact calls that a run would begin with; nothing is sent')
    .action(async (name: string, options: RunOptions) => {
      const { context, compiled, runId, storage } = await prepareRun(name, options, shell)
      const tables = compiled.specs.map((spec) => ({
        table: spec.table,
        calls: spec.fetches.map(plannedCall),
        ...limitsOf(spec),
      }))
      const settled = Object.entries(compiled.settled).map(([table, entry]) => ({
        table,
        outcome: entry.outcome,
        reason: entry.reason,
      }))
      if (options.json === true) {
        context.output.printMasked({
          run_id: runId,
          storage: storage.url,
          params: compiled.params,
          tables,
          not_fetched: settled,
        })
        return
      }
      const { print } = context.output
      print(`parameters: ${JSON.stringify(compiled.params)}`)
      for (const { table, calls, budget, max_rows: maxRows, columns } of tables) {
        print(`\n${table}: at most ${maxRows} rows within ${budget}`)
        for (const call of calls) {
          print(
            `  ${call.part ? `${call.part}: ` : ''}${call.server}.${call.tool} ${JSON.stringify(call.args)}`,
          )
          print(`  then: ${call.pagination}`)
        }
        for (const column of columns) print(`  ${column.column} ${column.type} <- ${column.source}`)
      }
      for (const { table, outcome, reason } of settled) print(`\n${table}: ${outcome} (${reason})`)
      print(`\nfiles: ${storage.url}`)
    })
}

function limitsOf(spec: TableSpec) {
  const mapping = spec.fetches[0]?.mapping ?? []
  return {
    budget: `${spec.budget.timeMs / 1000} s`,
    max_rows: spec.budget.maxRows,
    columns: spec.columns.map((column, i) => ({
      column: column.name,
      type: column.type,
      source: (mapping[i] ?? [])
        .map((source) =>
          source.from === 'path' ? source.path : source.from === 'row' ? '$' : JSON.stringify(source.value),
        )
        .join(' | '),
    })),
  }
}

function plannedCall(fetch: FetchSpec): PlannedCall {
  const request = createPaginator(fetch.pagination).request(createPaginator(fetch.pagination).first())
  // What only the worker knows stands in the plan as its placeholder.
  const args = argumentBuilder(fetch, undefined).build(request, (name) => `{{${name}}}`)
  return {
    server: fetch.server,
    tool: fetch.tool,
    part: fetch.label,
    args,
    pagination: paginationWords(fetch),
  }
}

function paginationWords({ pagination }: FetchSpec): string {
  if (pagination.mode === 'none') return 'no further call'
  const through = pagination.nextTool === null ? '' : ` through ${pagination.nextTool}`
  return `pages by ${pagination.mode}, ${pagination.pageSize} rows each${through}`
}
