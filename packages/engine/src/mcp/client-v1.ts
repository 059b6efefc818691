import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { z } from 'zod'
import { type ConnectOptions, clientInfo, longestTimeoutMs, type McpClient } from './mcp-client.ts'
import type { McpTransport } from './mcp-transport.ts'

/** Any result: it is read leniently by us, and the SDK's schema would throw whole answers away. */
const anyResult = z.custom<object>((value) => typeof value === 'object' && value !== null)

/** Connects with SDK v1, which speaks the revisions of MCP from 2024-10-07 to 2025-11-25: `initialize` comes first. */
export async function connectV1(
  transport: McpTransport,
  { signal, onError }: ConnectOptions,
): Promise<McpClient> {
  // Nothing that a server could ask of us: no sampling, no elicitation, no roots.
  const client = new Client(clientInfo, { capabilities: {} })
  client.onerror = onError
  await client.connect(transport, { signal, timeout: longestTimeoutMs })
  const version = client.getServerVersion()
  return {
    server: version ? { name: version.name, version: version.version } : null,
    mirrorsArguments: false,
    request: async ({ method, params, signal: own, onProgress }) => {
      const result = await client.request({ method, params }, anyResult, {
        signal: own,
        timeout: longestTimeoutMs,
        ...(onProgress && { onprogress: onProgress }),
      })
      const answer = transport.answerOf(result)
      if (!answer) throw new Error(`${method}: an answer without a message`)
      return answer
    },
    close: () => client.close(),
  }
}
