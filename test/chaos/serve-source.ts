/**
 * An MCP source whose answers go wrong, as a program of its own: `serve-source.ts FOLDER [WORKER]`. It serves the
 * rows of `source-table.ts` over stdio to the worker of that name, without one over Streamable HTTP, and appends every page that it is asked for to `FOLDER/pages.ndjson`.
 * How often answers go wrong stands in `FOLDER/faults.json`, which is read at each call.
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '../fuzz/seeded-random.ts'
import { askedPage, type Incoming, pageResult, standardResult, toolError } from './page-answer.ts'
import { appendCall, type Fate } from './page-log.ts'

/** `FOLDER/faults.json`. */
export interface SourceFaults {
  seed: number
  /** Share of the calls that go wrong. */
  rate: number
}

const faulty: readonly Fate[] = ['error', 'error', 'slow', 'slow', 'dropped', 'cut', 'hung']

interface Answer {
  fate: Fate
  text: string
}

async function answer(folder: string, message: Incoming, worker: string): Promise<Answer | null> {
  const { id, method } = message
  if (id === undefined) return null
  const reply = (result: object): string => JSON.stringify({ jsonrpc: '2.0', id, result })
  if (method !== 'tools/call') {
    const result = standardResult(message)
    const unknown = { jsonrpc: '2.0', id, error: { code: -32601, message: `unknown method ${method}` } }
    return { fate: 'served', text: result === undefined ? JSON.stringify(unknown) : reply(result) }
  }
  const page = askedPage(message)
  if (page === null) return { fate: 'served', text: reply(toolError('no such table or cursor')) }
  const fate = fateOf(folder)
  appendCall(join(folder, 'pages.ndjson'), { t: Date.now(), ...page, worker, fate })
  await wait(fate === 'slow' ? 400 + random.below(800) : 15 + random.below(60))
  if (fate === 'error')
    return {
      fate,
      text: JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'it broke' } }),
    }
  if (fate === 'limited') return { fate, text: reply(toolError('too many requests, rate limit exceeded')) }
  return { fate, text: reply(pageResult(page)) }
}

let random: SeededRandom

function fateOf(folder: string): Fate {
  const { rate }: SourceFaults = JSON.parse(readFileSync(join(folder, 'faults.json'), 'utf8'))
  if (!random.chance(rate)) return 'served'
  // Every one of them slows the whole fleet down for a while.
  return random.chance(0.03) ? 'limited' : random.pick(faulty)
}

function serveStdio(folder: string, worker: string): void {
  const send = ({ fate, text }: Answer): void => {
    if (fate === 'hung') return
    if (fate === 'dropped') process.exit(1)
    else if (fate === 'cut') process.stdout.write(text.slice(0, text.length / 2), () => process.exit(1))
    else process.stdout.write(`${text}\n`)
  }
  process.stdout.on('error', () => process.exit(0))
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      void answer(folder, JSON.parse(line), worker).then((made) => made !== null && send(made))
    })
    .on('close', () => process.exit(0))
}

async function serveHttp(folder: string): Promise<void> {
  const server = createServer((request, response) => {
    handle(folder, request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    process.stdout.write(`http://127.0.0.1:${address.port}/mcp\n`)
  })
  process.stdin.resume().on('end', () => process.exit(0))
}

async function handle(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(405).end()
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const message: Incoming = JSON.parse(Buffer.concat(chunks).toString())
  const made = await answer(folder, message, String(request.headers['x-worker']))
  if (made === null) response.writeHead(202).end()
  else sendOver(response, made)
}

function sendOver(response: ServerResponse, { fate, text }: Answer): void {
  const json = { 'content-type': 'application/json' }
  switch (fate) {
    case 'hung':
      return
    case 'dropped':
      response.destroy()
      return
    case 'cut':
      response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(text) })
      response.write(text.slice(0, text.length / 2), () => response.destroy())
      return
    case 'error':
      response.writeHead(500).end('it broke')
      return
    default:
      response.writeHead(200, json).end(text)
  }
}

const [folder, worker] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: serve-source.ts FOLDER [WORKER]')
const { seed }: SourceFaults = JSON.parse(readFileSync(join(folder, 'faults.json'), 'utf8'))
random = seededRandom(seed + process.pid)
if (worker === undefined) await serveHttp(folder)
else serveStdio(folder, worker)
