import { RunError, throwOnErrors } from '@huntfleet/contract'
import { openSources, previewTable, systemClock, type TablePreview } from '@huntfleet/engine'
import type { Command } from 'commander'
import { positiveOption, type RunOptions, withRunOptions } from '../command-options.ts'
import { watchInterruption } from '../interruption.ts'
import { prepareRun } from '../prepare-run.ts'
import { quietLogger } from '../quiet-logger.ts'
import { openCalls, type SaveOptions, withSaveOptions } from '../recorded-calls.ts'
import { adaptersOf } from '../run-in-process.ts'
import type { Shell } from '../shell.ts'
import { cellJson, cellText } from '../terminal/cell-text.ts'
import type { Output } from '../terminal/output.ts'
import { textTable } from '../terminal/text-table.ts'

interface PreviewOptions extends RunOptions, SaveOptions {
  rows?: string
}

const shownBody = 600
const shownCell = 40

/** `huntfleet preview`: one page of one table, from the exact call to the mapped rows. */
export function addPreviewCommand(program: Command, shell: Shell): void {
  withSaveOptions(withRunOptions(program.command('preview <strategy> <table>')))
    .description(
      'fetch one page of a table and show the call, the answer and the mapped rows; nothing is stored',
    )
    .option('--rows <n>', 'rows to show', '20')
    .action(async (name: string, table: string, options: PreviewOptions) => {
      const prepared = await prepareRun(name, { ...options, table: [table] }, shell)
      const { context, compiled } = prepared
      const spec = compiled.specs[0]
      if (spec === undefined) {
        const entry = compiled.settled[table]
        throw new RunError(
          'USAGE_INVALID',
          `${table} is not fetched by the fleet: ${entry?.reason ?? 'it is not bound'}`,
          { table },
        )
      }
      const { project, masker, output } = context
      const sources = openSources({
        project,
        env: process.env,
        masker,
        clock: systemClock,
        logger: quietLogger,
      })
      const calls = await openCalls(prepared, options)
      const interruption = watchInterruption()
      try {
        throwOnErrors(await sources.checkAdapters(adaptersOf(spec)))
        const preview = await previewTable(
          spec,
          {
            ...sources,
            clock: systemClock,
            logger: quietLogger,
            random: Math.random,
            signal: interruption.signal,
            ...calls.of(spec, sources),
          },
          { rows: positiveOption('rows', options.rows) ?? 20 },
        )
        if (options.json === true) output.printMasked(jsonPreview(preview))
        else printPreview(output, preview)
      } finally {
        interruption.stop()
        await sources.close()
        await calls.close()
      }
    })
}

function printPreview(output: Output, preview: TablePreview): void {
  const { call, body, items, bytes, ms, estimate } = preview
  output.print(`call: ${call.server}.${call.tool} ${JSON.stringify(call.args)}`)
  output.print(`answer: ${items} items, ${bytes} bytes, ${ms} ms, from ${body.from}`)
  output.print(`body: ${body.text.slice(0, shownBody)}${body.text.length > shownBody ? '…' : ''}\n`)
  output.print(
    textTable(
      preview.columns.map((column) => column.name),
      preview.rows.map((row) => row.map((cell, i) => cellText(cell, preview.columns[i]?.type ?? ''))),
      shownCell,
    ),
  )
  output.print('')
  output.print(
    textTable(
      ['column', 'type', 'source', 'nulls', 'rejects'],
      preview.columns.map((column) => [
        column.name,
        column.type,
        column.source,
        String(column.nulls),
        String(column.rejects),
      ]),
    ),
  )
  for (const reject of preview.rejects)
    output.print(
      `reject: row ${reject.row}${reject.column === null ? '' : `, ${reject.column}`}: ${reject.reason}`,
    )
  for (const note of preview.notes) output.print(`note: ${note}`)
  if (preview.truncation !== null) output.print(`the source sent less than it has: ${preview.truncation}`)
  if (estimate.pages !== null)
    output.print(
      `the whole table: about ${estimate.total} rows in ${estimate.pages} pages, ${estimate.seconds} s`,
    )
}

function jsonPreview(preview: TablePreview) {
  const rows = preview.rows.map((row) => row.map((cell, i) => cellJson(cell, preview.columns[i]?.type ?? '')))
  return { ...preview, rows }
}
