import { parentPort, workerData } from 'node:worker_threads'
import type { FieldMapping } from '../source-row.ts'
import { type AdapterRows, adapterRows } from './adapter-rows.ts'
import { type ErrorPlace, errorPlace } from './error-place.ts'

/** Runs in the adapter's own thread: imports the user's module, then answers one call after the other. */

export interface AdapterCall {
  text: string
  fields: readonly FieldMapping[]
}

/** `loaded` comes first, or `failed`; then one reply per call. */
export type AdapterReply =
  | { kind: 'loaded' }
  | { kind: 'rows'; rows: AdapterRows }
  | { kind: 'failed'; message: string; place: ErrorPlace | null }

type Adapter = (text: string, fields: readonly FieldMapping[]) => unknown

async function loadAdapter(url: string): Promise<Adapter> {
  const module: Record<string, unknown> = await import(url)
  const adapter = module['default'] ?? module['adapter']
  if (isAdapter(adapter)) return adapter
  const names = Object.keys(module).join(', ') || 'nothing'
  throw new TypeError(
    `the module exports no adapter: export default (text, fields) => rows, or a function named adapter; it exports ${names}`,
  )
}

const isAdapter = (value: unknown): value is Adapter => typeof value === 'function'

function failed(thrown: unknown): AdapterReply {
  if (!(thrown instanceof Error)) return { kind: 'failed', message: String(thrown), place: null }
  return {
    kind: 'failed',
    message: thrown.message || thrown.name,
    place: errorPlace(thrown, import.meta.url),
  }
}

async function serve(url: string): Promise<void> {
  const reply = (message: AdapterReply) => parentPort?.postMessage(message)
  let adapter: Adapter
  try {
    adapter = await loadAdapter(url)
  } catch (error) {
    reply(failed(error))
    return
  }
  const answer = async ({ text, fields }: AdapterCall): Promise<AdapterReply> => {
    try {
      return { kind: 'rows', rows: adapterRows(await adapter(text, fields)) }
    } catch (error) {
      return failed(error)
    }
  }
  parentPort?.on('message', (call: AdapterCall) => {
    void answer(call).then(reply)
  })
  reply({ kind: 'loaded' })
}

await serve(String(workerData))
