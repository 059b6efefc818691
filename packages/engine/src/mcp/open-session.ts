import { RunError } from '@huntfleet/contract'
import type { Clock, Logger } from '../ports.ts'
import { type Authorization, authorizationFor } from './authorization.ts'
import { checkedUrl } from './checked-url.ts'
import { classify } from './classify.ts'
import { connectV1 } from './client-v1.ts'
import { withDeadline } from './deadline.ts'
import { HttpRequester } from './http-requester.ts'
import { HttpTransport } from './http-transport.ts'
import { LegacySseTransport } from './legacy-sse-transport.ts'
import type { McpTransport } from './mcp-transport.ts'
import { sdkFailure } from './sdk-failure.ts'
import type { HttpTransportConfig, ServerConfig } from './server-config.ts'
import { SdkSession } from './session.ts'
import { StdioTransport, withLastWords } from './stdio-transport.ts'

export interface OpenSessionOptions {
  clock: Clock
  logger: Logger
  signal: AbortSignal
  /** Shared by the sessions of a server, so that they share its token; made from the config when absent. */
  authorization?: Authorization
}

type Generation = Exclude<ServerConfig['protocol'], 'auto'>

/**
 * Starts or reaches a server and agrees with it on a revision of MCP. `protocol: auto` tries SDK v1 first, so that a
 * server of 2025 sees what it always saw, and v2 when the server refuses that generation of the protocol. Throws `SERVER_START_FAILED` when the process cannot
 * be started or ends at once, else what the server or the network said (see `classify`); leaves nothing behind then.
 */
export async function openSession(config: ServerConfig, options: OpenSessionOptions): Promise<SdkSession> {
  if (config.protocol !== 'auto') return openWith(config.protocol, config, options)
  try {
    return await openWith('v1', config, options)
  } catch (error) {
    if (!(error instanceof RunError && refusesGeneration(error.cause))) throw error
    // The first error stays the one to report when the server refuses v2 as well.
    return openWith('v2', config, options).catch((second: unknown) => {
      throw second instanceof RunError && second.code === 'SERVER_REFUSED' ? error : second
    })
  }
}

async function openWith(
  generation: Generation,
  config: ServerConfig,
  options: OpenSessionOptions,
): Promise<SdkSession> {
  const { transport } = config
  if (transport.kind === 'stdio') {
    const { name: server, maxMessageBytes } = config
    const stdio = new StdioTransport({ server, config: transport, maxMessageBytes })
    return connect(stdio, generation, config, options)
  }
  const makers = httpTransports(config, transport, options)
  if (transport.legacySse === 'only') return connect(makers.legacySse(), 'v1', config, options)
  try {
    return await connect(makers.streamable(), generation, config, options)
  } catch (error) {
    const mayBeOld =
      error instanceof RunError && error.code === 'SERVER_REFUSED' && !refusesGeneration(error.cause)
    if (!mayBeOld || generation !== 'v1' || transport.legacySse !== 'auto') throw error
    // The first error stays the one to report: most servers that refuse are not old but wrongly addressed.
    return connect(makers.legacySse(), 'v1', config, options).catch((second: unknown) => {
      throw second instanceof RunError && second.kind !== 'cancelled' ? error : second
    })
  }
}

/**
 * Whether the answer to `initialize` may come from a server that has no such request: revision 2026-07-28 answers with
 * its -32022, a server that knows nothing else with "method not found" or with what it misses in the request.
 */
function refusesGeneration(cause: unknown): boolean {
  const failure = sdkFailure(cause)
  return (
    failure?.kind === 'revision' ||
    (failure?.kind === 'rpc' && [-32022, -32601, -32602, -32600].includes(failure.code))
  )
}

function httpTransports(
  config: ServerConfig,
  transport: HttpTransportConfig,
  options: OpenSessionOptions,
): { streamable(): McpTransport; legacySse(): McpTransport } {
  const { name: server, maxMessageBytes } = config
  const url = checkedUrl(server, transport, config.auth)
  const authorization = options.authorization ?? authorizationFor(server, config.auth, options.clock)
  const requester = new HttpRequester({ server, headers: transport.headers, authorization })
  const common = { server, url, requester, maxMessageBytes }
  return { streamable: () => new HttpTransport(common), legacySse: () => new LegacySseTransport(common) }
}

async function connect(
  transport: McpTransport,
  generation: Generation,
  config: ServerConfig,
  { clock, logger, signal }: OpenSessionOptions,
): Promise<SdkSession> {
  const { name: server, progressExtends, connectTimeoutMs } = config
  // The SDK's messages quote whole answers, so only the fact is logged.
  const onError = (error: Error) => logger.debug('message outside of a call', { server, error: error.name })
  const what = `server "${server}"`
  const hint = 'raise connect_timeout of the server if it needs longer to start'
  try {
    const client = await withDeadline({ clock, timeoutMs: connectTimeoutMs, signal, what, hint }, (own) =>
      connectOf[generation](transport, { signal: own, onError }),
    )
    return new SdkSession({ server, client, transport, clock, progressExtends })
  } catch (error) {
    const reason = classify(error, { what, server, signal, failure: transport.failure })
    const words = transport.lastWords?.()
    await transport.close()
    throw startFailure(reason, words)
  }
}

const connectOf: Readonly<Record<Generation, typeof connectV1>> = {
  v1: connectV1,
  // Loaded when a server needs it: it is a second SDK beside the first.
  v2: async (transport, options) => (await import('./client-v2.ts')).connectV2(transport, options),
}

/** A process that ends before it has said hello will do so again: someone must look at its last words. */
function startFailure(error: RunError, words: string | undefined): RunError {
  if (error.code === 'SOURCE_TIMEOUT' && words !== undefined) return withLastWords(error, words)
  if (error.code !== 'SERVER_EXITED') return error
  const hint = 'run the command of the server by hand: a missing variable in env is the usual reason'
  return new RunError('SERVER_START_FAILED', `${error.message} (while starting)`, { ...error.context, hint })
}
