import type { RunError } from '@huntfleet/contract'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { WireAnswer } from './wire-message.ts'

/** A transport of the SDK that also knows what became of it and what exactly came in. */
export interface McpTransport extends Transport {
  /** Why it can no longer be used, once it cannot. */
  readonly failure: RunError | undefined
  /** What a process said on stderr of late; undefined where there is no process. */
  lastWords?(): string
  /** The answer behind a result object that the SDK handed on. */
  answerOf(result: object): WireAnswer | undefined
}
