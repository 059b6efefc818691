import { registerHooks } from 'node:module'
import { z } from 'zod'
import { type ConnectOptions, clientInfo, longestTimeoutMs, type McpClient } from './mcp-client.ts'
import type { McpTransport } from './mcp-transport.ts'
import { StandInTransport } from './stand-in-transport.ts'

/** The revision of MCP without `initialize` and without sessions. */
const revision = '2026-07-28'

const anyResult = z.custom<object>((value) => typeof value === 'object' && value !== null)

/**
 * Connects with SDK v2 to a server of revision 2026-07-28, over our own transports: the SDK's stdio buffer is as
 * quadratic as that of v1. Pinned, because servers of 2025 are for v1: falling back would cost them a second process.
 */
export async function connectV2(
  transport: McpTransport,
  { signal, onError }: ConnectOptions,
): Promise<McpClient> {
  const { Client } = await loadSdk()
  const client = new Client(clientInfo, {
    capabilities: {},
    versionNegotiation: { mode: { pin: revision } },
    // A fetch is unattended: a tool that asks back fails at once instead.
    inputRequired: { autoFulfill: false },
  })
  client.onerror = onError
  const standIns = new StandInTransport(transport)
  await client.connect(standIns, { signal, timeout: longestTimeoutMs })
  const version = client.getServerVersion()
  return {
    server: version ? { name: version.name, version: version.version } : null,
    mirrorsArguments: standIns.hasPerRequestStream,
    request: async ({ method, params, signal: own, onProgress, headers }) => {
      const result = await client.request({ method, params }, anyResult, {
        signal: own,
        timeout: longestTimeoutMs,
        ...(onProgress && { onprogress: onProgress }),
        ...(headers && { headers }),
      })
      const answer = standIns.answerOf(result)
      if (!answer) throw new Error(`${method}: an answer without a message`)
      return answer
    },
    close: () => client.close(),
  }
}

/**
 * The SDK imports `eventsource`, which publishes its TypeScript under the export condition `source`, the one that we run
 * our own sources with; Node strips no types below node_modules. So what dependencies import is resolved without it.
 */
async function loadSdk() {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (context.parentURL?.includes('/node_modules/') !== true) return next(specifier, context)
      const conditions = context.conditions.filter((condition) => condition !== 'source')
      return next(specifier, { ...context, conditions })
    },
  })
  try {
    return await import('@modelcontextprotocol/client')
  } finally {
    hooks.deregister()
  }
}
