import { readFile } from 'node:fs/promises'
import { type Json, type JsonObject, longestDeadlineMs, parseDuration, RunError } from '@huntfleet/contract'
import { type Command, Option } from 'commander'

/** Options that every command takes. */
export interface CommonOptions {
  config?: string
  env?: string
  json?: boolean
}

/** Options of the commands that run a strategy. */
export interface RunOptions extends CommonOptions {
  param: string[]
  params?: string
  out?: string
  table: string[]
  maxRows?: string
  from?: string
  to?: string
}

const collect = (value: string, before: string[]) => [...before, value]

export function withCommonOptions(command: Command): Command {
  return command
    .option('--config <file>', 'project file (default: huntfleet.yaml here, if there is one)')
    .option('--env <name>', 'overlay huntfleet.<name>.yaml and binding.<name>.yaml')
    .option('--json', 'print one JSON document on stdout')
}

export function withParamOptions(command: Command): Command {
  return withCommonOptions(command)
    .addOption(
      new Option('--param <name=value>', 'a parameter; JSON values allowed; repeatable')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--params <file>', 'parameters as a JSON object in a file')
}

export function withRunOptions(command: Command): Command {
  return withParamOptions(command)
    .option('--out <url>', 'where the files go; overrides storage.url (file://./folder, s3://bucket/prefix)')
    .addOption(
      new Option('--table <name>', 'only this table; repeatable')
        .argParser(collect)
        .default([], 'all tables'),
    )
    .option('--max-rows <n>', 'lowers max_rows of every table')
    .option('--from <time>', 'start of the window (window.start), for example 2026-11-30T00:00:00Z or -1d')
    .option('--to <time>', 'end of the window (window.end), not part of it')
}

/**
 * The parameters that the command line gives: those of `--params`, overlaid by `--param`. A value is JSON where it
 * parses as JSON, else text; what it becomes is decided by the contract.
 */
export async function givenParams(options: Pick<RunOptions, 'param' | 'params'>): Promise<JsonObject> {
  // A map, since assigning to a key `__proto__` would lose the parameter instead of refusing it.
  const given = new Map(Object.entries(options.params === undefined ? {} : await paramsFile(options.params)))
  for (const text of options.param) {
    const at = text.indexOf('=')
    if (at <= 0) {
      throw new RunError('USAGE_INVALID', `--param ${JSON.stringify(text)} is not of the form name=value`, {
        hint: 'write --param name=value; quote values with blanks',
      })
    }
    given.set(text.slice(0, at), paramValue(text.slice(at + 1)))
  }
  return Object.fromEntries(given)
}

/** Lists and objects are JSON; anything else stays text, so that `007` and long digits keep all their characters. */
function paramValue(text: string): Json {
  if (!/^\s*[[{"]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function paramsFile(file: string): Promise<JsonObject> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new RunError('USAGE_INVALID', `--params: cannot read ${file}: ${error.message}`, { file }, error)
  })
  let value: Json
  try {
    // Editors on Windows begin files with a byte order mark.
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new RunError(
      'USAGE_INVALID',
      `--params: ${file} is not JSON: ${error instanceof Error ? error.message : error}`,
      { file },
      error,
    )
  }
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value
  throw new RunError('USAGE_INVALID', `--params: ${file} must hold one JSON object of parameters`, { file })
}

/** A positive whole number given as an option. */
export function positiveOption(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new RunError('USAGE_INVALID', `--${name} ${JSON.stringify(text)} is not a positive whole number`)
}

/** `--deadline` in the words of a run's payload; nothing when it is not given. */
export function deadlineOption(text: string | undefined): { deadlineMs?: number } {
  if (text === undefined) return {}
  const ms = parseDuration(text)
  if (ms !== undefined && ms > 0 && ms <= longestDeadlineMs) return { deadlineMs: ms }
  throw new RunError(
    'USAGE_INVALID',
    `--deadline ${JSON.stringify(text)} is not a duration of at most 2 days`,
    {
      hint: 'write 30m, 2h or 1d',
    },
  )
}
