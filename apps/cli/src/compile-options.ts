import {
  type CompileOptions,
  defaultBudget,
  type JsonObject,
  parseInstant,
  RunError,
  type RunWindow,
  type StorageTarget,
} from '@huntfleet/contract'
import { tablePrefixes } from '@huntfleet/storage'
import { positiveOption, type RunOptions } from './command-options.ts'

/** The half-open window of `--from` and `--to`. */
function runWindow(options: Pick<RunOptions, 'from' | 'to'>, now: Date): RunWindow {
  const time = (name: string, text: string | undefined): string | null => {
    if (text === undefined) return null
    const instant = parseInstant(text, now)
    if (instant !== undefined) return instant
    throw new RunError('USAGE_INVALID', `--${name} ${JSON.stringify(text)} is not a time`, {
      hint: 'write ISO 8601 (2026-11-30T12:00:00Z), an epoch number, now, or a relative time such as -7d',
    })
  }
  const window = { start: time('from', options.from), end: time('to', options.to) }
  if (window.start !== null && window.end !== null && Date.parse(window.start) >= Date.parse(window.end)) {
    throw new RunError(
      'USAGE_INVALID',
      `the window is empty: --from ${window.start} is not before --to ${window.end}`,
    )
  }
  return window
}

/** What the command line adds to a strategy. */
export function compileOptions(
  strategy: string,
  runId: string,
  options: RunOptions,
  params: JsonObject,
  storage: StorageTarget,
  scheduledAt: Date,
  env: NodeJS.ProcessEnv,
): CompileOptions {
  return {
    runId,
    scheduledAt,
    window: runWindow(options, scheduledAt),
    params,
    literal: new Set(),
    prefixes: (table) =>
      tablePrefixes(storage.layout, { strategy, table, runId, scheduledAt: scheduledAt.toISOString() }),
    budgetMs: defaultBudget(env),
    tables: options.table.length > 0 ? options.table : null,
    maxRows: positiveOption('max-rows', options.maxRows),
  }
}
