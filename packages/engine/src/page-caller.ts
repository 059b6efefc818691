import { type ErrorCode, type FetchSpec, type JsonObject, RunError, toRunError } from '@huntfleet/contract'
import type { Budget } from './budget.ts'
import { knownTool, refuseByPolicy, refuseWrites } from './check-tool.ts'
import type { ParseDeadline } from './format.ts'
import type { MessageDecoder } from './mcp/message-decoder.ts'
import type { SessionLease, ToolInfo, ToolResult } from './ports.ts'
import { decideRetry } from './retry.ts'
import type { CallPorts } from './table-ports.ts'

/** Errors after which the session itself is as good as before: the server answered, and in order. */
const harmless: ReadonlySet<ErrorCode> = new Set([
  'TOOL_FAILED',
  'TOOL_REFUSED',
  'TOOL_UNKNOWN',
  'ARGUMENT_INVALID',
  'PARSE_FAILED',
  'ITEMS_NOT_FOUND',
  'ANSWER_TRUNCATED',
  'SOURCE_DENIED',
  'SOURCE_ERROR',
  'SOURCE_RATE_LIMITED',
])

/** Calls one server for one fetch: leases a session, retries within the budget, and checks what may be called. */
export interface PageCaller {
  /** The tool as the server lists it; undefined when the server lists none. Throws when it may not be called. */
  prepare(tool: string): Promise<ToolInfo | undefined>
  /** Calls until `read` takes the answer; what `read` throws is judged like a failed call. */
  call<T>(
    tool: string,
    args: JsonObject,
    read: (result: ToolResult) => T | Promise<T>,
    /** Decodes big answers; absent or null: they are decoded in this thread. */
    decoder?: MessageDecoder | null,
  ): Promise<T>
  /** Text of a resource that an answer links to. */
  readResource(uri: string): Promise<string>
  /** How long reading an answer may take from now on, and what ends it. */
  readonly deadline: ParseDeadline
  readonly server: { name: string; version: string } | null
  readonly notes: readonly string[]
  close(): Promise<void>
}

/** Whether the table goes to another worker. */
function isHandedBack({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof RunError && (reason.code === 'SHUTDOWN' || reason.code === 'LOCK_LOST')
}

export function pageCaller(
  fetch: FetchSpec,
  ports: CallPorts,
  budget: Budget,
  doing: (what: string) => void,
): PageCaller {
  let lease: SessionLease | null = null
  let tools: readonly ToolInfo[] | null = null
  let server: { name: string; version: string } | null = null
  const notes = new Set<string>()

  /** A call on the leased client got no answer: the client is not to be given back, but may serve one more try. */
  let tainted = false

  const drop = async (reusable: boolean) => {
    const held = lease
    lease = null
    const sound = reusable && !tainted
    tainted = false
    const released = held?.release(sound)
    // Another worker waits for the table, and must not wait for a server that is slow to end.
    if (!isHandedBack(ports.signal)) await released
  }

  /**
   * After a timeout the same session is tried once more: many servers are only slow, and a new process or session
   * would begin from nothing. A second timeout, or anything that broke the connection, ends it.
   */
  const judgeSession = async (error: RunError) => {
    if (harmless.has(error.code)) return
    if (error.code !== 'SOURCE_TIMEOUT' || tainted) return await drop(false)
    tainted = true
  }

  /** Runs `work` under the budget's deadline, again after transient failures, with a fresh session where needed. */
  const withRetries = async <T>(
    work: (signal: AbortSignal, lease: SessionLease) => Promise<T>,
  ): Promise<T> => {
    for (let failures = 0; ; ) {
      ports.signal.throwIfAborted()
      budget.refuseWhenSpent()
      const deadline = budget.deadline(ports.signal)
      try {
        lease ??= await ports.sessions.lease(fetch.server, fetch.configKey, deadline.signal)
        server = lease.session.server ?? server
        return await work(deadline.signal, lease)
      } catch (thrown) {
        const error = deadline.signal.aborted ? toRunError(deadline.signal.reason) : toRunError(thrown)
        await judgeSession(error)
        failures += 1
        const decision = decideRetry(error, failures, fetch.retry, ports.random)
        // `max_calls` and `max_bytes` hold for retries too; the error says more than the limit would.
        if (!decision.retry || budget.limitReached() !== undefined)
          throw error.with({ server: fetch.server, ...(failures > 1 && { attempt: failures }) })
        budget.retries += 1
        ports.logger.debug('page failed, trying again', {
          server: fetch.server,
          code: error.code,
          message: error.message,
          waitMs: decision.waitMs,
        })
        await backOff(error, decision.waitMs)
      } finally {
        deadline.release()
      }
    }
  }

  /** Waits, never longer than the budget lasts. */
  const backOff = async (error: RunError, waitMs: number) => {
    if (error.code === 'SOURCE_RATE_LIMITED') {
      ports.limiter.rateLimited(fetch.server, error.context.retryAfterMs ?? null)
    }
    const left = budget.leftMs
    const seconds = Math.round(Math.min(waitMs, left) / 100) / 10
    doing(`waiting ${seconds} s after: ${ports.mask(error.message)}`)
    await ports.clock.sleep(Math.min(waitMs, left), ports.signal)
    if (waitMs >= left) throw budget.spentError()
  }

  const options = (signal: AbortSignal) => ({
    timeoutMs: Math.max(1, Math.min(fetch.timeoutMs, budget.leftMs)),
    signal,
  })

  return {
    get deadline() {
      // A little more than the budget has, so that it is the budget that is reported as spent.
      return { timeoutMs: Math.min(fetch.timeoutMs, budget.leftMs + 100), signal: ports.signal }
    },
    get notes() {
      return [...notes]
    },
    get server() {
      return server
    },
    async prepare(name) {
      refuseByPolicy(name, fetch.server, ports.policy(fetch.server))
      tools ??= await withRetries((signal, { session }) => session.listTools(options(signal)))
      if (tools.length === 0) return undefined
      const tool = knownTool(name, fetch.server, tools)
      refuseWrites(tool, fetch.server, ports.policy(fetch.server))
      if (tool.readOnly === null) notes.add(`the server does not say whether ${name} only reads`)
      return tool
    },
    call(tool, args, read, decoder = null) {
      return withRetries(async (signal, { session }) => {
        budget.runLimit = await ports.runBudget?.take()
        if (budget.runLimit !== undefined) budget.refuseAtLimit()
        await ports.limiter.acquire(fetch.server, signal)
        budget.calls += 1
        const result = await session.callTool(tool, args, {
          ...options(signal),
          ...(decoder !== null && { decoder }),
        })
        budget.bytes += result.bytes
        await ports.runBudget?.spend({ pages: 0, bytes: result.bytes })
        return await read(result)
      })
    },
    readResource: (uri) => withRetries((signal, { session }) => session.readResource(uri, options(signal))),
    close: () => drop(true),
  }
}
