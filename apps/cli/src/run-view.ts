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
  const ended = new Map<string, string>()
  return {
    update(record) {
      for (const [table, state] of Object.entries(record.tables)) {
        const number = (field: string) => Number(state.progress?.[field] ?? 0)
        if (state.entry !== null) {
          const { outcome, rows, reason } = state.entry
          const line = `${outcome}: ${hasFile(outcome) ? `${rows} rows; ` : ''}${reason}`
          if (ended.get(table) !== line) view.end(table, line)
          ended.set(table, line)
        } else if (state.progress !== null) {
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
