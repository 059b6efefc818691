import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toolName } from './page-answer.ts'
import type { SourceFaults } from './serve-source.ts'
import { pageSize, type TableShape, tables } from './source-table.ts'

export const sourceProgram = fileURLToPath(new URL('serve-source.ts', import.meta.url))
export const strategyName = 'chaos'
/** How long a call of a page may take. */
export const callTimeoutMs = 5_000

export interface ProjectOptions {
  /** Where project, strategy and page log go. */
  folder: string
  /** URL of the HTTP source. */
  web: string
  storage: string
  endpoint: string | null
  redis: string
  checkpoint: CheckpointMode
}

/** Where the pages of unfinished tables are kept: `queue.checkpoint`. */
export type CheckpointMode = 'redis' | 'storage' | 'off'

/** Writes a project whose strategy fetches every table of `source-table.ts`. JSON is YAML. */
export async function writeProject(options: ProjectOptions): Promise<void> {
  const { folder } = options
  const columns = {
    i: { type: 'BIGINT', required: true },
    key: { type: 'VARCHAR' },
    at: { type: 'TIMESTAMP' },
    text: { type: 'VARCHAR' },
  }
  const names = Object.keys(tables)
  const files = {
    'huntfleet.yaml': project(options),
    'chaos/contract.yaml': {
      name: strategyName,
      description: 'Every table of both sources.',
      tags: ['test'],
      requires: { tables: Object.fromEntries(names.map((name) => [name, { columns }])) },
    },
    'chaos/binding.yaml': {
      source_bindings: Object.fromEntries(
        Object.entries(tables).map(([name, shape]) => [name, binding(name, shape)]),
      ),
    },
  }
  await mkdir(join(folder, 'chaos'))
  for (const [name, document] of Object.entries(files))
    await writeFile(join(folder, name), JSON.stringify(document, null, 2))
}

/** Every worker has a name in its environment, and the sources write down who called them. */
const nameOfWorker = `$\{CHAOS_WORKER}`

function project({ folder, web, storage, endpoint, redis, checkpoint }: ProjectOptions): object {
  return {
    strategies: '.',
    storage: { url: storage, ...(endpoint !== null && { endpoint }) },
    redis,
    queue: { checkpoint },
    mcp_servers: {
      web: { remote: { url: web, headers: { 'X-Worker': nameOfWorker } }, limits: { concurrency: 6 } },
      program: {
        local: {
          command: process.execPath,
          args: ['--conditions=source', sourceProgram, folder, nameOfWorker],
        },
        limits: { concurrency: 6 },
      },
    },
  }
}

function binding(table: string, { server, paging, total }: TableShape): object {
  return {
    fetch_mode: 'mcp_client',
    mcp_server: server,
    mcp_tool: toolName,
    mcp_args: { run: '{{ run.id }}', table },
    items_path: 'rows',
    timeout: `${callTimeoutMs}ms`,
    retry: { attempts: 4, base: '20ms', max: '300ms' },
    pagination:
      paging === 'cursor'
        ? { mode: 'cursor', page_size: pageSize, cursor_param: 'cursor', next_cursor_path: 'next' }
        : {
            mode: 'offset',
            page_size: pageSize,
            offset_param: 'offset',
            limit_param: 'limit',
            confirm: 'never',
            ...(total && { total_path: 'total' }),
          },
  }
}

/** Tells the sources how often to fail. They read it in the middle of anything, so it is replaced at once. */
export async function setSourceFaults(folder: string, faults: SourceFaults): Promise<void> {
  const file = join(folder, 'faults.json')
  await writeFile(`${file}.new`, JSON.stringify(faults))
  await rename(`${file}.new`, file)
}
