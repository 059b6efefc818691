import { z } from 'zod'
import { bindingFields, type Vocabulary } from './binding-schema.ts'
import { durationText } from './duration-text.ts'
import { jsonObjectSchema } from './json-value.ts'
import { serverName } from './names.ts'
import { secretSchema } from './secret.ts'

/** The schema of huntfleet.yaml (SPEC section 2). All keys are optional. */

export const defaultLayout = 'strategy={strategy}/table={table}/dt={date}/run={run_id}'
export const defaultPrefix = '{huntfleet}'
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the project file's own syntax, expanded when it is used
const defaultRedis = '${REDIS_URL:-redis://127.0.0.1:6379}'

const authSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('bearer'), token: secretSchema }),
  z.strictObject({ type: z.literal('header'), name: z.string().min(1), value: secretSchema }),
  z.strictObject({ type: z.literal('basic'), user: z.string(), password: secretSchema }),
  z
    .strictObject({
      type: z.literal('oauth'),
      grant: z.literal('client_credentials').default('client_credentials'),
      issuer: z.string().optional().describe('Authorization server whose metadata names the token endpoint'),
      token_url: z.string().optional().describe('The token endpoint itself'),
      client_id: z.string(),
      client_secret: secretSchema,
      scope: z.string().optional(),
      audience: z.string().optional(),
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
  transport: z.enum(['streamable_http', 'sse', 'auto']).default('streamable_http'),
  headers: headersSchema.default({}),
  auth: authSchema.default({ type: 'none' }),
})
const localSchema = z.strictObject({
  command: z.string().min(1).describe('Program to start'),
  args: z.array(z.union([z.string(), z.number().transform(String)])).default([]),
  env: envSchema.default({}),
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
  calls_per_minute: z.int().positive().optional(),
  calls_per_day: z.int().positive().optional(),
})

function serverSchema(words: Vocabulary) {
  const profile = z.strictObject(bindingFields(words))
  return z
    .strictObject({
      remote: remoteSchema.optional(),
      local: localSchema.optional(),
      limits: limitsSchema.default({}),
      defaults: profile.optional().describe('Fields of every binding of this server that does not set them'),
      tools: z.record(z.string(), profile).default({}).describe('The same per tool'),
      allow_writes: z
        .array(z.string())
        .default([])
        .describe('Tools that may be called although they say that they write'),
      tool_policy: z
        .strictObject({ allow_only: z.array(z.string()).optional(), deny: z.array(z.string()).default([]) })
        .default({ deny: [] }),
      isolation: z.enum(['pool', 'job']).default('pool'),
      max_clients: z.int().positive().optional(),
      connect_timeout: durationText.optional(),
      max_message_bytes: z.int().positive().optional(),
      progress_extends: z.boolean().default(false),
    })
    .refine((s) => (s.remote === undefined) !== (s.local === undefined), {
      error: 'a server is either remote (with a url) or local (with a command)',
    })
}
export type ServerText = z.infer<ReturnType<typeof serverSchema>>

const credentialSchema = z.strictObject({
  headers: headersSchema.default({}),
  env: envSchema.default({}),
  servers: z.array(serverName).optional().describe('The servers that this credential may go to'),
})
export type CredentialText = z.infer<typeof credentialSchema>

const storageSchema = z.strictObject({
  url: z.string().default('file://./staging').describe('file://./folder, or s3://bucket/prefix'),
  endpoint: z.string().optional().describe('S3-compatible endpoint; AWS itself without it'),
  region: z.string().optional(),
  path_style: z.boolean().optional().describe('Bucket in the path; by default when an endpoint is set'),
  layout: z.string().default(defaultLayout),
  compression: z.enum(['zstd', 'snappy', 'gzip', 'none']).default('zstd'),
})
export type StorageText = z.infer<typeof storageSchema>

const redisSchema = z.union([
  z.string(),
  z.strictObject({ url: z.string(), prefix: z.string().min(1).default(defaultPrefix) }),
])

const userSchema = z.strictObject({
  password: secretSchema,
  role: z.enum(['viewer', 'operator']).default('viewer'),
})
const dashboardSchema = z.strictObject({
  host: z.string().default('127.0.0.1'),
  port: z.union([z.int(), z.string()]).default(4400),
  allowed_hosts: z
    .array(z.string())
    .default([])
    .describe('Host names, beside loopback, under which browsers may ask for it'),
  auth: z
    .strictObject({
      type: z.enum(['none', 'basic', 'bearer', 'proxy']).default('none'),
      users: z.record(z.string(), userSchema).default({}),
      token: secretSchema.optional(),
    })
    .default({ type: 'none', users: {} }),
})
export type DashboardText = z.infer<typeof dashboardSchema>

export function projectSchema(words: Vocabulary) {
  const server = serverSchema(words)
  return z.strictObject({
    strategies: z.string().default('./strategies').describe('Folder that is searched for strategies'),
    storage: storageSchema.default(() => storageSchema.parse({})),
    redis: redisSchema.default(defaultRedis),
    queue: z.strictObject({ signing_key: secretSchema.optional() }).optional(),
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
    hunts: z.record(z.string(), jsonObjectSchema).default({}).describe('Schedules'),
    dashboard: dashboardSchema.default(() => dashboardSchema.parse({})),
    mcp: jsonObjectSchema.optional(),
  })
}
export type ProjectText = z.infer<ReturnType<typeof projectSchema>>
