import { RunError } from '@huntfleet/contract'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Clock, Logger } from '../ports.ts'
import { type Authorization, authorizationFor } from './authorization.ts'
import { checkedUrl } from './checked-url.ts'
import { classify } from './classify.ts'
import { withDeadline } from './deadline.ts'
import { HttpRequester } from './http-requester.ts'
import { HttpTransport } from './http-transport.ts'
import { LegacySseTransport } from './legacy-sse-transport.ts'
import type { McpTransport } from './mcp-transport.ts'
import type { HttpTransportConfig, ServerConfig } from './server-config.ts'
import { longestTimeoutMs, SdkSession } from './session.ts'
import { StdioTransport, withLastWords } from './stdio-transport.ts'

export interface OpenSessionOptions {
  clock: Clock
  logger: Logger
  signal: AbortSignal
  /** Shared by the sessions of a server, so that they share its token; made from the config when absent. */
  authorization?: Authorization
}

const clientInfo = { name: 'huntfleet', version: '0.1.0' }

/**
 * Starts or reaches a server and exchanges `initialize` with it. Throws `SERVER_START_FAILED` when the process cannot
 * be started or ends at once, else what the server or the network said (see `classify`); leaves nothing behind then.
 */
export async function openSession(config: ServerConfig, options: OpenSessionOptions): Promise<SdkSession> {
  const { transport } = config
  if (transport.kind === 'stdio') {
    const { name: server, maxMessageBytes } = config
    return connect(new StdioTransport({ server, config: transport, maxMessageBytes }), config, options)
  }
  const makers = httpTransports(config, transport, options)
  if (transport.legacySse === 'only') return connect(makers.legacySse(), config, options)
  try {
    return await connect(makers.streamable(), config, options)
  } catch (error) {
    const mayBeOld =
      error instanceof RunError && error.code === 'SERVER_REFUSED' && transport.legacySse === 'auto'
    if (!mayBeOld) throw error
    // The first error stays the one to report: most servers that refuse are not old but wrongly addressed.
    return connect(makers.legacySse(), config, options).catch((second: unknown) => {
      throw second instanceof RunError && second.kind !== 'cancelled' ? error : second
    })
  }
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
  config: ServerConfig,
  { clock, logger, signal }: OpenSessionOptions,
): Promise<SdkSession> {
  const { name: server, progressExtends, connectTimeoutMs } = config
  // Nothing that a server could ask of us: no sampling, no elicitation, no roots.
  const client = new Client(clientInfo, { capabilities: {} })
  // The SDK's messages quote whole answers, so only the fact is logged.
  client.onerror = (error) => logger.debug('message outside of a call', { server, error: error.name })
  const what = `server "${server}"`
  const hint = 'raise connect_timeout of the server if it needs longer to start'
  try {
    await withDeadline({ clock, timeoutMs: connectTimeoutMs, signal, what, hint }, (own) =>
      client.connect(transport, { signal: own, timeout: longestTimeoutMs }),
    )
  } catch (error) {
    const reason = classify(error, { what, server, signal, failure: transport.failure })
    const words = transport.lastWords?.()
    await transport.close()
    throw startFailure(reason, words)
  }
  return new SdkSession({ server, client, transport, clock, progressExtends })
}

/** A process that ends before it has said hello will do so again: someone must look at its last words. */
function startFailure(error: RunError, words: string | undefined): RunError {
  if (error.code === 'SOURCE_TIMEOUT' && words !== undefined) return withLastWords(error, words)
  if (error.code !== 'SERVER_EXITED') return error
  const hint = 'run the command of the server by hand: a missing variable in env is the usual reason'
  return new RunError('SERVER_START_FAILED', `${error.message} (while starting)`, { ...error.context, hint })
}
