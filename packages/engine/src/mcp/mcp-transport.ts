import type { RunError } from '@huntfleet/contract'
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { MessageDecoder } from './message-decoder.ts'
import type { WireAnswer } from './wire-message.ts'

/** What SDK v2 says about one message beside what v1 does. Transports with a single channel ignore it. */
export interface SendOptions extends TransportSendOptions {
  /** Ends the HTTP request of this message. */
  requestSignal?: AbortSignal | undefined
  /** Further headers of that request. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** A transport of the SDK that also knows what became of it and what exactly came in. */
export interface McpTransport extends Transport {
  send(message: JSONRPCMessage, options?: SendOptions): Promise<void>
  /** Whether every request has an HTTP request of its own, which `requestSignal` ends. */
  readonly hasPerRequestStream?: boolean
  /** Decodes the big answers to the requests that are sent from now on; undefined: they are decoded here. */
  decoder: MessageDecoder | undefined
  /** Why it can no longer be used, once it cannot. */
  readonly failure: RunError | undefined
  /** What a process said on stderr of late; undefined where there is no process. */
  lastWords?(): string
  /** The answer behind a result object that the SDK handed on. */
  answerOf(result: object): WireAnswer | undefined
}
