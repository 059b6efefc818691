import { parentPort } from 'node:worker_threads'
import { createMasker } from '@huntfleet/contract'
import type { Logger } from '../ports.ts'
import { adapters, formats } from '../registry.ts'
import { decode, TableHost } from './table-host.ts'
import { ThreadAdapters } from './thread-adapters.ts'
import type { FromThread, PipelineCall, PipelineReply, ToThread } from './thread-messages.ts'
import { packThrown } from './thrown.ts'

/** Runs in a pipeline thread: the tables that are bound to it, by number. */

/** A table whose pipeline could not be opened says why to every call. */
type Table = TableHost | { fault: unknown }

const tables = new Map<number, Table>()
const calls = new Map<number, AbortController>()
const masker = createMasker([])

const send = (message: FromThread, transfer: ArrayBuffer[] = []) => parentPort?.postMessage(message, transfer)
const log =
  (level: keyof Logger) =>
  (message: string, fields: Record<string, unknown> = {}) =>
    send({ kind: 'log', level, message, fields })
const customAdapters = new ThreadAdapters({
  debug: log('debug'),
  info: log('info'),
  warn: log('warn'),
  error: log('error'),
})

function open({ table, adapters: modules, kind: _, ...options }: Extract<ToThread, { kind: 'open' }>): Table {
  try {
    return new TableHost({
      ...options,
      vocabulary: { formats, adapters: { ...customAdapters.parsersOf(modules), ...adapters } },
      mask: (text) => masker.mask(text),
      send: (bytes) => send({ kind: 'write', table, bytes }, [bytes.buffer]),
    })
  } catch (fault) {
    return { fault }
  }
}

async function answer(table: number, call: PipelineCall, signal: AbortSignal): Promise<PipelineReply> {
  const host = tables.get(table)
  if (host === undefined) return lateReply(call)
  if (host instanceof TableHost) return await host.answer(call, signal)
  throw host.fault
}

/** A message may come when its table has ended: it is decoded, since it may hold others, and nothing is kept. */
function lateReply(call: PipelineCall): PipelineReply {
  if (call.method !== 'decode') throw new Error(`${call.method} of a table that has ended`)
  const [parts, wanted] = call.args
  const nobody = { handle: 0, isError: false, links: [], error: null }
  return { method: 'decode', value: decode(parts, wanted, () => nobody) }
}

async function carryOut({ table, call, request }: Extract<ToThread, { kind: 'call' }>): Promise<void> {
  const controller = new AbortController()
  calls.set(call, controller)
  send({ kind: 'began', call })
  try {
    send({ kind: 'done', call, reply: await answer(table, request, controller.signal) })
  } catch (error) {
    send({ kind: 'failed', call, error: packThrown(error) })
  } finally {
    calls.delete(call)
  }
}

function receive(message: ToThread): void {
  switch (message.kind) {
    case 'open':
      tables.set(message.table, open(message))
      return
    case 'call':
      void carryOut(message)
      return
    case 'abort':
      calls.get(message.call)?.abort(new Error('nobody waits for it any more'))
      return
    case 'written': {
      const host = tables.get(message.table)
      if (host instanceof TableHost) host.acknowledge(message.stored)
      return
    }
    case 'secrets':
      for (const { name, value } of message.secrets) masker.add(name, value)
      return
    case 'close':
      tables.delete(message.table)
      return
    case 'end':
      void customAdapters.close().finally(() => process.exit())
  }
}

parentPort?.on('message', receive)
