import { z } from 'zod'
import { bindingFields, type Vocabulary } from './binding-schema.ts'
import { durationText } from './duration-text.ts'
import { huntSchema } from './hunt-schema.ts'
import { jsonObjectSchema } from './json-value.ts'
import { serverName, strategyName } from './names.ts'
import { runLimitsSchema } from './run-limits.ts'
import { secretSchema } from './secret.ts'

/** The schema of huntfleet.yaml (SPEC section 2). All keys are optional. */

export const defaultLayout = 'strategy={strategy}/table={table}/dt={date}/run={run_id}'
export const defaultPrefix = '{huntfleet}'
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the project file's own syntax, expanded when it is used
const defaultRedis = '${REDIS_URL:-redis://127.0.0.1:6379}'

const authType = 'none, bearer, header, basic or oauth (client credentials)'
const authSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none').describe(authType) }),
  z.strictObject({
    type: z.literal('bearer').describe(authType),
    token: secretSchema.describe('Sent as `Authorization: Bearer …`'),
  }),
  z.strictObject({
    type: z.literal('header').describe(authType),
    name: z.string().min(1).describe('Name of the header'),
    value: secretSchema.describe('Value of the header'),
  }),
  z.strictObject({
    type: z.literal('basic').describe(authType),
    user: z.string().describe('User name'),
    password: secretSchema.describe('Password'),
  }),
  z
    .strictObject({
      type: z.literal('oauth').describe(authType),
      grant: z
        .literal('client_credentials')
        .default('client_credentials')
        .describe('The only grant that needs no person'),
      issuer: z.string().optional().describe('Authorization server whose metadata names the token endpoint'),
      token_url: z.string().optional().describe('The token endpoint itself'),
      client_id: z.string().describe('Id of this client'),
      client_secret: secretSchema.describe('Its secret'),
      scope: z.string().optional().describe('Scopes to ask for, separated by blanks'),
      audience: z.string().optional().describe('Audience to ask for'),
    })
    .refine((auth) => (auth.issuer === undefined) !== (auth.token_url === undefined), {
      error:
        'oauth needs issuer or token_url, so that the MCP server cannot choose who gets the client secret',
    }),
])
export type AuthText = z.infer<typeof authSchema>

const headersSchema = z.record(z.string(), z.union([z.string(), secretSchema]))
const envSchema = z.record(
  z.string(),
  z.union([z.string(), z.number().transform(String), z.boolean().transform(String), secretSchema]),
)

const remoteSchema = z.strictObject({
  url: z.string().min(1).describe('Address of the server, for example https://mcp.example/mcp'),
  transport: z
    .enum(['streamable_http', 'sse', 'auto'])
    .default('streamable_http')
    .describe('sse is the transport before 2025; auto tries both'),
  headers: headersSchema.default({}).describe('Headers of every request'),
  auth: authSchema.default({ type: 'none' }).describe('How the server knows us'),
})
const localSchema = z.strictObject({
  command: z.string().min(1).describe('Program to start'),
  args: z
    .array(z.union([z.string(), z.number().transform(String)]))
    .default([])
    .describe('Its arguments'),
  env: envSchema.default({}).describe('Variables of its environment, which is empty otherwise'),
  env_passthrough: z
    .array(z.string())
    .default([])
    .describe('Variables of our environment that the server may see'),
  cwd: z.string().optional().describe('Working directory; the folder of huntfleet.yaml by default'),
})

const limitsSchema = z.strictObject({
  concurrency: z
    .int()
    .positive()
    .optional()
    .describe('Tables fetched at once over all workers; 2 for local, 4 for remote servers'),
  calls_per_minute: z.int().positive().optional().describe('Calls per minute over all workers'),
  calls_per_day: z.int().positive().optional().describe('Calls per day over all workers'),
})

function serverSchema(words: Vocabulary) {
  const profile = z.strictObject(bindingFields(words))
  return z
    .strictObject({
      remote: remoteSchema.optional().describe('A server that is reached by HTTP'),
      local: localSchema.optional().describe('A server that is started as a program and spoken to by stdio'),
      limits: limitsSchema.default({}).describe('How much may be asked of it'),
      defaults: profile.optional().describe('Fields of every binding of this server that does not set them'),
      tools: z.record(z.string(), profile).default({}).describe('The same per tool'),
      allow_writes: z
        .array(z.string())
        .default([])
        .describe('Tools that may be called although they say that they write'),
      tool_policy: z
        .strictObject({
          allow_only: z.array(z.string()).optional().describe('The only tools that may be called'),
          deny: z.array(z.string()).default([]).describe('Tools that may not be called'),
        })
        .default({ deny: [] })
        .describe('Which tools bindings, agents and discovery may call'),
      protocol: z
        .enum(['v1', 'v2', 'auto'])
        .default('auto')
        .describe('v1: MCP up to 2025-11-25; v2: MCP 2026-07-28; auto: v1, then v2 if the server refuses it'),
      isolation: z
        .enum(['pool', 'job'])
        .default('pool')
        .describe('job: a session of its own for every table'),
      max_clients: z
        .int()
        .positive()
        .optional()
        .describe('Most sessions at once; limits.concurrency by default'),
      idle_ttl: durationText
        .optional()
        .describe('A session that nobody used for so long is closed; 5m by default'),
      max_age: durationText.optional().describe('A session older than this is not used again; 1h by default'),
      max_calls: z
        .int()
        .positive()
        .optional()
        .describe('Nor is one that has answered so many calls; 1000 by default'),
      connect_timeout: durationText
        .optional()
        .describe('Longest wait for the server to start; 20s, or 60s for package runners, by default'),
      max_message_bytes: z.int().positive().optional().describe('Longest message, 64 MiB by default'),
      progress_extends: z
        .boolean()
        .default(false)
        .describe('Progress notifications extend the timeout of a call, up to the budget'),
    })
    .refine((s) => (s.remote === undefined) !== (s.local === undefined), {
      error: 'a server is either remote (with a url) or local (with a command)',
    })
    .refine((s) => !(s.protocol === 'v2' && s.remote?.transport === 'sse'), {
      path: ['protocol'],
      error: 'transport sse is that of MCP 2024-11-05, which protocol v2 does not speak; use v1 or auto',
    })
}
export type ServerText = z.infer<ReturnType<typeof serverSchema>>

const credentialSchema = z.strictObject({
  headers: headersSchema.default({}).describe('Merged over the headers of the server'),
  env: envSchema.default({}).describe('Merged over the environment of the server'),
  servers: z.array(serverName).optional().describe('The servers that this credential may go to'),
})
export type CredentialText = z.infer<typeof credentialSchema>

const storageSchema = z.strictObject({
  url: z.string().default('file://./staging').describe('file://./folder, or s3://bucket/prefix'),
  endpoint: z.string().optional().describe('S3-compatible endpoint; AWS itself without it'),
  region: z.string().optional().describe('Region of the bucket; that of the AWS environment by default'),
  path_style: z.boolean().optional().describe('Bucket in the path; by default when an endpoint is set'),
  layout: z
    .string()
    .default(defaultLayout)
    .describe('Folders of a file, made of {strategy}, {date} and, always, {table} and {run_id}'),
  compression: z
    .enum(['zstd', 'snappy', 'gzip', 'none'])
    .default('zstd')
    .describe('Compression of Parquet files'),
  retention: durationText
    .optional()
    .describe('`huntfleet gc` removes runs whose last manifest is older; never by default'),
})
export type StorageText = z.infer<typeof storageSchema>

const redisSchema = z.union([
  z.string(),
  z.strictObject({
    url: z.string().describe('Address, for example redis://127.0.0.1:6379'),
    prefix: z
      .string()
      .min(1)
      .default(defaultPrefix)
      .describe('Prefix of all keys; braces keep them in one slot of a cluster'),
  }),
])

const userSchema = z.strictObject({
  password: secretSchema.describe('Password'),
  role: z.enum(['viewer', 'operator']).default('viewer').describe('An operator may also act'),
})
const dashboardSchema = z.strictObject({
  host: z.string().default('127.0.0.1').describe('Address to listen on'),
  port: z.union([z.int(), z.string()]).default(4400).describe('Port to listen on'),
  allowed_hosts: z
    .array(z.string())
    .default([])
    .describe('Host names, beside loopback, under which browsers may ask for it'),
  auth: z
    .strictObject({
      type: z
        .enum(['none', 'basic', 'bearer', 'proxy'])
        .default('none')
        .describe('none is for loopback only'),
      users: z.record(z.string(), userSchema).default({}).describe('Users of basic authentication'),
      token: secretSchema.optional().describe('Token of bearer authentication'),
    })
    .default({ type: 'none', users: {} })
    .describe('Who may look'),
})
export type DashboardText = z.infer<typeof dashboardSchema>

const queueSchema = z.strictObject({
  signing_key: secretSchema
    .optional()
    .describe(
      'Jobs and checkpoints are signed and checked with it, so that write access to Redis grants nothing',
    ),
  checkpoint: z
    .enum(['redis', 'storage', 'off'])
    .default('redis')
    .describe(
      'Where the pages of unfinished tables are kept, so that another worker can go on: redis, storage (no rows in Redis), off (a table begins again)',
    ),
})

export function projectSchema(words: Vocabulary) {
  const server = serverSchema(words)
  return z.strictObject({
    strategies: z.string().default('./strategies').describe('Folder that is searched for strategies'),
    storage: storageSchema.default(() => storageSchema.parse({})).describe('Where the files go'),
    redis: redisSchema.default(defaultRedis).describe('Where the queues live: an address, or url and prefix'),
    queue: queueSchema
      .default(() => queueSchema.parse({}))
      .describe('How jobs are trusted, and where tables go on after a crash'),
    mcp_servers: z
      .record(serverName, server)
      .default({})
      .describe('MCP servers; the name is what `mcp_server` in a binding refers to'),
    credentials: z
      .record(serverName, credentialSchema)
      .default({})
      .describe('Looked up by `config_key` of a binding'),
    secrets: z
      .record(z.string(), secretSchema)
      .default({})
      .describe('Values of {{secret.NAME}}, known to workers only'),
    adapters: z.record(z.string(), z.string()).default({}).describe('Own response adapters: name → module'),
    hunts: z.record(strategyName, huntSchema).default({}).describe('Schedules of strategies'),
    run_limits: runLimitsSchema
      .default(() => runLimitsSchema.parse({}))
      .describe('What a whole run may take, over all of its tables'),
    dashboard: dashboardSchema.default(() => dashboardSchema.parse({})).describe('The dashboard'),
    mcp: jsonObjectSchema.optional().describe('The MCP server for agents'),
  })
}
export type ProjectText = z.infer<ReturnType<typeof projectSchema>>
