import { hasFile } from '@huntfleet/contract'
import type { RunRecord } from '@huntfleet/queue'
import { createProgressView } from './terminal/progress.ts'

/** Shows what the tables of a run on the fleet are doing, out of its record. */
export interface RunView {
  update(record: RunRecord): void
  close(): void
}

export function createRunView(mask: (text: string) => string): RunView {
  const view = createProgressView(process.stderr, mask)
  const said = new Map<string, string>()
  /** Whether the line of a table is another than before. */
  const isNews = (table: string, line: string): boolean => {
    if (said.get(table) === line) return false
    said.set(table, line)
    return true
  }
  return {
    update(record) {
      for (const [table, state] of Object.entries(record.tables)) {
        const number = (field: string) => Number(state.progress?.[field] ?? 0)
        if (state.entry !== null) {
          const { outcome, rows, reason } = state.entry
          const line = `${outcome}: ${hasFile(outcome) ? `${rows} rows; ` : ''}${reason}`
          if (isNews(table, line)) view.end(table, line)
        } else if (state.progress !== null && isNews(table, JSON.stringify(state.progress))) {
          view.update({
            table,
            rows: number('rows'),
            pages: number('pages'),
            calls: number('calls'),
            retries: number('retries'),
            doing: '',
          })
        }
      }
    },
    close: () => view.close(),
  }
}
