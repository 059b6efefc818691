import { setTimeout as delay } from 'node:timers/promises'
import { callResultText } from './call-result.ts'
import { isRecord } from './dot-path.ts'
import { cacheFields, discovery, type Refusal, refusalOf, statusOf, typedResult } from './revision-2026.ts'
import type { Script, ScriptedCall, Step } from './script.ts'
import { StepPicker } from './step-picker.ts'

/** A JSON-RPC message as it came in. */
export interface Incoming {
  id?: unknown
  method?: unknown
  params?: unknown
}

/** What goes back: the JSON-RPC text, and the step whose faults the transport acts out. */
export interface Outgoing {
  text: string
  step: Step
  /** HTTP status of a JSON-RPC error where the protocol has one; 200 when absent. */
  status?: number
}

const serverInfo = { name: 'scripted', version: '1.0.0' }

export interface ProtocolOptions {
  /** Folder of the script's files. */
  folder?: string
  /** Ends delays and hangs. */
  signal: AbortSignal
  /** Sees every message that comes in. */
  onMessage?: (message: Incoming) => void
  onCall?: (call: ScriptedCall) => void
}

/** The MCP server behind both transports: JSON-RPC in, JSON-RPC and a step out. */
export class ScriptedProtocol {
  readonly #script: Script
  readonly #options: ProtocolOptions
  readonly #picker: StepPicker

  constructor(script: Script, options: ProtocolOptions) {
    this.#script = script
    this.#options = options
    this.#picker = new StepPicker(script)
  }

  /** The answer to a message; undefined for notifications. `notify` sends progress on the way. */
  async answer(message: Incoming, notify: (text: string) => void): Promise<Outgoing | undefined> {
    this.#options.onMessage?.(message)
    const { id, method } = message
    if (id === undefined || typeof method !== 'string') return undefined
    const refusal = this.modern ? refusalOf(message) : undefined
    if (refusal) return this.refuse(id, refusal)
    const params = isRecord(message.params) ? message.params : {}
    if (method === 'tools/call') return this.#call(id, params, notify)
    if (method === 'initialize' && this.#script.initialize) {
      return this.#act(id, this.#script.initialize, {}, params, notify)
    }
    return this.#standard(id, method, params)
  }

  /** Whether it speaks revision 2026-07-28 and nothing else. */
  get modern(): boolean {
    return this.#script.protocol !== undefined
  }

  /** A JSON-RPC error as the answer. */
  refuse(id: unknown, error: Refusal): Outgoing {
    const status = this.modern ? statusOf(error.code) : 200
    return { text: JSON.stringify({ jsonrpc: '2.0', id, error }), step: {}, status }
  }

  #call(id: unknown, params: Record<string, unknown>, notify: (text: string) => void): Promise<Outgoing> {
    const tool = String(params['name'])
    const args = isRecord(params['arguments']) ? params['arguments'] : {}
    const { step, index } = this.#picker.pick(tool, args)
    this.#options.onCall?.({ t: Date.now(), tool, args, step: index })
    return this.#act(id, step, args, params, notify)
  }

  async #act(
    id: unknown,
    step: Step,
    args: Record<string, unknown>,
    params: Record<string, unknown>,
    notify: (text: string) => void,
  ): Promise<Outgoing> {
    const { signal } = this.#options
    await this.#progress(step, params, notify)
    if (step.delayMs !== undefined) await delay(step.delayMs, undefined, { signal })
    if (step.hang) await new Promise((_, reject) => signal.addEventListener('abort', reject, { once: true }))
    if (step.rpcError) return { text: JSON.stringify({ jsonrpc: '2.0', id, error: step.rpcError }), step }
    if (step.fault === 'session_not_found') {
      const error = { code: -32001, message: 'Session not found' }
      return { text: JSON.stringify({ jsonrpc: '2.0', id, error }), step }
    }
    const result = callResultText(step, args, this.#options.folder ?? '.')
    return { text: this.#resultText(id, result), step }
  }

  async #progress(
    step: Step,
    params: Record<string, unknown>,
    notify: (text: string) => void,
  ): Promise<void> {
    const meta = params['_meta']
    const progressToken = isRecord(meta) ? meta['progressToken'] : undefined
    if (!step.progress || progressToken === undefined) return
    for (let progress = 1; progress <= step.progress.times; progress += 1) {
      await delay(step.progress.everyMs, undefined, { signal: this.#options.signal })
      const notification = { method: 'notifications/progress', params: { progressToken, progress } }
      notify(JSON.stringify({ jsonrpc: '2.0', ...notification }))
    }
  }

  #standard(id: unknown, method: string, params: Record<string, unknown>): Outgoing {
    const result = this.#standardResult(method, params)
    if (result === undefined) return this.refuse(id, { code: -32601, message: `unknown method ${method}` })
    const cached = this.modern ? { ...cacheFields, ...result } : result
    return { text: this.#resultText(id, JSON.stringify(cached)), step: {} }
  }

  #resultText(id: unknown, result: string): string {
    const typed = this.modern ? typedResult(result) : result
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${typed}}`
  }

  #standardResult(method: string, params: Record<string, unknown>): object | undefined {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params['protocolVersion'] ?? '2025-06-18',
          capabilities: { tools: {}, resources: {} },
          serverInfo,
        }
      case 'server/discover':
        return this.modern ? discovery(serverInfo) : undefined
      case 'ping':
        return {}
      case 'tools/list':
        return this.#toolsPage(params['cursor'])
      case 'resources/read': {
        const uri = String(params['uri'])
        const resource = this.#script.resources?.[uri]
        return resource && { contents: [{ uri, ...resource }] }
      }
      default:
        return undefined
    }
  }

  #toolsPage(cursor: unknown): object {
    const all = (this.#script.tools ?? []).map((tool) => ({ inputSchema: { type: 'object' }, ...tool }))
    const size = this.#script.toolsPerPage ?? Math.max(1, all.length)
    const start = Number(cursor ?? 0)
    const end = start + size
    return { tools: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) }
  }
}
