import { resolve } from 'node:path'
import {
  type AuthText,
  type CredentialText,
  expandEnv,
  type Masker,
  ownValue,
  type Project,
  RunError,
  readSecret,
  type SecretText,
  type ServerText,
} from '@huntfleet/contract'
import type { SecretReader, ServerAuth, ServerConfig } from './server-config.ts'

/** Longest wait for a server that a package runner may have to download first, and for any other. */
const slowStartMs = 60_000
const startMs = 20_000
const packageRunners = new Set(['npx', 'uvx', 'bunx', 'pnpx', 'docker', 'podman'])

/**
 * Turns names of the project file into what a session needs. Placeholders and secrets are read when a session is
 * opened; every value that comes out of them is given to the masker before anyone can print it.
 */
export function serverResolver(project: Project, env: NodeJS.ProcessEnv, masker: Masker) {
  return async (name: string, configKey: string | null): Promise<ServerConfig> => {
    const text = ownValue(project.text.mcp_servers, name)
    if (text === undefined) {
      const known = Object.keys(project.text.mcp_servers)
      throw new RunError(
        'SERVER_UNKNOWN',
        `this process knows no MCP server ${JSON.stringify(name)}; it knows ${known.join(', ') || 'none'}`,
        {
          server: name,
          hint: `add mcp_servers.${name} to the huntfleet.yaml that this process reads`,
        },
      )
    }
    const credential = credentialOf(project, name, configKey)
    const filled = expandEnv({ server: withoutProfiles(text), credential }, env, `mcp_servers.${name}`)
    for (const { name: variable, value } of filled.expanded) masker.add(variable, value)
    const read =
      (where: string, secret: SecretText): SecretReader =>
      async () => {
        const value = await readSecret(where, secret, { env, folder: project.folder })
        masker.add(where, value)
        return value
      }
    return configOf(name, filled.value.server, filled.value.credential, project.folder, read)
  }
}

/** Profiles are about bindings, and may hold anything that looks like a placeholder. */
function withoutProfiles(text: ServerText): Omit<ServerText, 'defaults' | 'tools'> {
  const { defaults: _, tools: __, ...rest } = text
  return rest
}

/** A `config_key` without an entry has been warned of; one that may not go to this server is refused. */
function credentialOf(project: Project, server: string, configKey: string | null): CredentialText {
  const none: CredentialText = { headers: {}, env: {} }
  if (configKey === null) return none
  const credential = ownValue(project.text.credentials, configKey)
  if (credential === undefined) return none
  const several = Object.keys(project.text.mcp_servers).length > 1
  if (credential.servers === undefined ? several : !credential.servers.includes(server)) {
    throw new RunError('CREDENTIAL_REFUSED', `credentials.${configKey} may not go to the server ${server}`, {
      server,
      hint: `list the server in credentials.${configKey}.servers of huntfleet.yaml if it may have them`,
    })
  }
  return credential
}

type Read = (where: string, secret: SecretText) => SecretReader

async function configOf(
  name: string,
  server: Omit<ServerText, 'defaults' | 'tools'>,
  credential: CredentialText,
  folder: string,
  read: Read,
): Promise<ServerConfig> {
  const isLocal = server.local !== undefined
  const concurrency = server.limits.concurrency ?? (isLocal ? 2 : 4)
  const at = `mcp_servers.${name}`
  const auth = server.remote?.auth ?? { type: 'none' }
  const base = {
    name,
    protocol: server.protocol,
    auth: authOf(auth, at, read),
    limits: { concurrency, callsPerMinute: server.limits.calls_per_minute ?? null },
    maxMessageBytes: server.max_message_bytes ?? 64 * 1024 * 1024,
    maxClients: server.max_clients ?? concurrency,
    idleMs: server.idle_ttl ?? 300_000,
    maxAgeMs: server.max_age ?? 3_600_000,
    maxCalls: server.max_calls ?? 1_000,
    isolation: server.isolation,
    allowWrites: server.allow_writes,
    progressExtends: server.progress_extends,
  }
  if (server.local !== undefined) {
    const { command, args, env, env_passthrough: envPassthrough, cwd } = server.local
    return {
      ...base,
      connectTimeoutMs: server.connect_timeout ?? (packageRunners.has(command) ? slowStartMs : startMs),
      transport: {
        kind: 'stdio',
        command,
        args,
        env: await filled({ ...env, ...credential.env }, `${at}.env`, read),
        envPassthrough,
        cwd: cwd === undefined ? folder : resolve(folder, cwd),
      },
    }
  }
  const remote = server.remote
  if (remote === undefined)
    throw new RunError('PROJECT_INVALID', `${at} is neither local nor remote`, { server: name })
  return {
    ...base,
    connectTimeoutMs: server.connect_timeout ?? startMs,
    transport: {
      kind: 'http',
      url: remote.url,
      headers: await filled({ ...remote.headers, ...credential.headers }, `${at}.headers`, read),
      legacySse: remote.transport === 'sse' ? 'only' : remote.transport === 'auto' ? 'auto' : 'never',
    },
  }
}

/** Plain values as they are, secrets read. */
async function filled(
  values: Readonly<Record<string, string | SecretText>>,
  where: string,
  read: Read,
): Promise<Record<string, string>> {
  const entries = Object.entries(values).map(
    async ([key, value]): Promise<[string, string]> => [
      key,
      typeof value === 'string' ? value : await read(`${where}.${key}`, value)(),
    ],
  )
  return Object.fromEntries(await Promise.all(entries))
}

function authOf(auth: AuthText, at: string, read: Read): ServerAuth {
  const where = (field: string) => `${at}.remote.auth.${field}`
  switch (auth.type) {
    case 'none':
      return { type: 'none' }
    case 'bearer':
      return { type: 'bearer', token: read(where('token'), auth.token) }
    case 'header':
      return { type: 'header', name: auth.name, value: read(where('value'), auth.value) }
    case 'basic':
      return {
        type: 'basic',
        username: async () => auth.user,
        password: read(where('password'), auth.password),
      }
    case 'oauth':
      return {
        type: 'oauth_client_credentials',
        clientId: async () => auth.client_id,
        clientSecret: read(where('client_secret'), auth.client_secret),
        tokenUrl: auth.token_url ?? null,
        issuer: auth.issuer ?? null,
        scope: auth.scope ?? null,
        audience: auth.audience ?? null,
      }
  }
}
