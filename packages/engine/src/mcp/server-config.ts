/**
 * What a session needs to know of its server: the `mcp_servers` entry of the project file with its credential merged
 * in, every default filled, secrets as functions. Durations are milliseconds, sizes are bytes.
 */
export interface ServerConfig {
  /** Its name in the project file. */
  name: string
  transport: StdioTransportConfig | HttpTransportConfig
  /**
   * Generation of the SDK: `v1` speaks the revisions of MCP up to 2025-11-25, `v2` speaks 2026-07-28, `auto` is v1 and,
   * where the server refuses its revisions, v2.
   */
  protocol: 'v1' | 'v2' | 'auto'
  /** Ignored by stdio servers: they take their secrets from `env`. */
  auth: ServerAuth
  limits: {
    /** Table fetches at a time, over all workers; the queue keeps it. */
    concurrency: number
    /** null: no limit. */
    callsPerMinute: number | null
  }
  /** From starting the process or opening the socket to the answer to `initialize`. */
  connectTimeoutMs: number
  /** Largest message taken from the server, decoded; default 64 MiB. */
  maxMessageBytes: number
  /** Open sessions per server and credential in this process; default 2 for stdio, 4 for HTTP. */
  maxClients: number
  /** A session that nobody used for so long is closed; default 5 minutes. */
  idleMs: number
  /** A session older than this is not used again; default 1 hour. */
  maxAgeMs: number
  /** Nor one that has answered so many calls; default 1000. */
  maxCalls: number
  /** `job`: every table fetch gets a session of its own, for servers that leak or remember. */
  isolation: 'pool' | 'job'
  /** Tools that may be called although they say `readOnlyHint: false`. */
  allowWrites: readonly string[]
  /** Whether a progress notification starts the call's timeout anew. */
  progressExtends: boolean
}

export interface StdioTransportConfig {
  kind: 'stdio'
  command: string
  args: readonly string[]
  /** Set on top of the few variables that every server gets. */
  env: Readonly<Record<string, string>>
  /** Names of our own variables that are handed on. */
  envPassthrough: readonly string[]
  /** Absolute; the folder of the project file. */
  cwd: string
}

export interface HttpTransportConfig {
  kind: 'http'
  url: string
  /** Sent to the origin of `url` and nowhere else. */
  headers: Readonly<Record<string, string>>
  /** The HTTP+SSE transport of 2024-11-05: when the new one is refused, never, or only that. */
  legacySse: 'auto' | 'never' | 'only'
  /** Sends credentials over plain http to another machine, too. */
  allowInsecure?: boolean
}

/** Reads a secret at the time of use, so that a rotated file or variable takes effect; throws `SECRET_UNSET`. */
export type SecretReader = () => Promise<string>

export type ServerAuth =
  | { type: 'none' }
  | { type: 'bearer'; token: SecretReader }
  | { type: 'header'; name: string; value: SecretReader }
  | { type: 'basic'; username: SecretReader; password: SecretReader }
  | OauthClientCredentials

/** OAuth 2.0 client credentials (RFC 6749 section 4.4). One of `tokenUrl` and `issuer` is set. */
export interface OauthClientCredentials {
  type: 'oauth_client_credentials'
  clientId: SecretReader
  clientSecret: SecretReader
  /** https, or http on this machine. */
  tokenUrl: string | null
  /** Its metadata (RFC 8414, or OpenID discovery) names the token endpoint. */
  issuer: string | null
  scope: string | null
  /** Sent as `audience`; some authorization servers demand it. */
  audience: string | null
}
