import type { WireAnswer } from './wire-message.ts'

/** One request of a session. */
interface ClientRequest {
  method: string
  params: Record<string, unknown>
  /** Made for this request alone; its abort cancels it at the server, too. */
  signal: AbortSignal
  /** Called with every progress notification; without it none are asked for. */
  onProgress?: () => void
  /** Of the HTTP request that carries it, where there is one. */
  headers?: Readonly<Record<string, string>>
}

/** An SDK's client that is connected, whatever its generation. Throws what its SDK throws (see `classify`). */
export interface McpClient {
  readonly server: { name: string; version: string } | null
  /** Whether a tool's schema may ask for arguments to be repeated in HTTP headers (revision 2026-07-28). */
  readonly mirrorsArguments: boolean
  request(request: ClientRequest): Promise<WireAnswer>
  close(): Promise<void>
}

/** What connecting takes beside the transport. */
export interface ConnectOptions {
  signal: AbortSignal
  /** Told of errors that belong to no call. They may quote whole answers. */
  onError: (error: Error) => void
}

/** How we name ourselves to servers. */
export const clientInfo = { name: 'huntfleet', version: '0.1.0' }

/** The longest delay of a Node timer. The SDKs' own timeouts are put there, because ours decides (2^31 would be 1 ms). */
export const longestTimeoutMs = 2 ** 31 - 1
