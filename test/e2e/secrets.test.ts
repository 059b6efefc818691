import { fileURLToPath } from 'node:url'
import { type Manifest, manifestSchema } from '@huntfleet/contract'
import { type Script, type Step, startRedis, startScriptedMcp } from '@huntfleet/testing'
import { afterAll, expect, test } from 'vitest'
import { filesBelow } from './fixture/files-below.ts'
import { parquetRows } from './fixture/parquet-rows.ts'
import { monitorRedis } from './fixture/redis-monitor.ts'
import { testWorkspace } from './fixture/workspace.ts'

/**
 * Secrets in every place that a project file has for one, sources that send each of them back in every way that errors
 * travel, and then a search through everything that was said, queued and stored.
 */

const scripted = fileURLToPath(new URL('../../packages/testing/src/scripted-mcp/main.ts', import.meta.url))

/** One secret per place. Some have characters that change when they are encoded. */
const planted = {
  urlKey: 'url-key-4f7c1a',
  serverHeader: 'server/header+91b2&e',
  bearer: 'bearer-token-77aa01',
  credentialValue: 'credential"value-5c3',
  credentialEnv: 'credential-env-8d4e2f',
  credentialFile: 'credential-file-0b1c=',
  localEnv: 'local-env-secret-6e6f',
  localCredential: 'local-credential-3a2b',
  lateSecret: 'late secret 19e8d7/c',
  signingKey: 'signing-key-2e1d0c9b',
  redisPassword: 'redis-password-a1b2c3',
} as const
const everySecret = Object.values(planted)

/** What each source knows of us. */
const knownToRemote = [
  planted.urlKey,
  planted.serverHeader,
  planted.bearer,
  planted.credentialValue,
  planted.credentialEnv,
  planted.credentialFile,
  planted.lateSecret,
]
const knownToLocal = [planted.localEnv, planted.localCredential, planted.lateSecret]

const echoOf = (secrets: readonly string[]) => `rejected: ${secrets.join(' | ')}`
const encoded = (secrets: readonly string[]) =>
  secrets
    .flatMap((secret) => [
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('base64url'),
      encodeURIComponent(secret),
      JSON.stringify(secret),
    ])
    .join(' ')
const echo = echoOf(knownToRemote)

const fullPage = Array.from({ length: 2 }, (_, i) => ({ id: i, text: `row ${i}` }))

/** Per table of the hunt: what its tool answers. */
const remoteAnswers: Readonly<Record<string, Step>> = {
  denied: { httpStatus: 403, text: echo },
  tool_error: { isError: true, text: `${echo} ${encoded(knownToRemote)}` },
  rpc_error: { rpcError: { code: -32602, message: echo, data: { echo } } },
  payload_error: { json: { error: echo } },
  prose: { text: echo },
  missing_items: { json: { [echo]: 1 } },
  late_argument: { isError: true, text: `no tenant ${planted.lateSecret}` },
  rows: { json: [{ id: 'x', text: echo }, { id: echo, text: 'a value that does not fit' }, echo] },
}
/** These fail at their second page, so that, without checkpoints, no attempt of a job is spent on them. */
const remoteSecondPages: Readonly<Record<string, Step>> = {
  server_error: { httpStatus: 500, text: echo },
  cut_off: { text: `{"rows": "${echo}`, fault: 'not_json' },
}
const localSecondPages: Readonly<Record<string, Step>> = {
  dies: { stderr: `panic: ${echoOf(knownToLocal)}\n${encoded(knownToLocal)}\n`, exit: 3 },
}

const tablesOf = (steps: Readonly<Record<string, Step>>) => Object.keys(steps)
const remoteTables = [...tablesOf(remoteAnswers), ...tablesOf(remoteSecondPages)]
const localTables = tablesOf(localSecondPages)

function scriptOf(
  answers: Readonly<Record<string, Step>>,
  secondPages: Readonly<Record<string, Step>>,
): Script {
  const names = [...tablesOf(answers), ...tablesOf(secondPages)]
  const paged = Object.entries(secondPages).map(([name, step]): [string, Step[]] => [
    name,
    [{ when: { offset: 0 }, json: fullPage }, step],
  ])
  return {
    tools: names.map((name) => ({ name, annotations: { readOnlyHint: true } })),
    script: Object.fromEntries([
      ...Object.entries(answers).map(([name, step]): [string, Step[]] => [
        name,
        [{ when: { offset: 0 }, ...step }, { json: [] }],
      ]),
      ...paged,
    ]),
  }
}

function contract(): string {
  const tables = [...remoteTables, ...localTables].map(
    (name) => `    ${name}: { columns: { id: BIGINT, text: VARCHAR } }\n`,
  )
  return `name: leaky\ndescription: Sources that send back what they were told.\ntags: [test]\nrequires:\n  tables:\n${tables.join('')}`
}

function binding(): string {
  const source = (name: string, server: string) => `  ${name}:
    fetch_mode: mcp_client
    mcp_server: ${server}
    mcp_tool: ${name}
    config_key: vault
    retry: { attempts: 2, base: 10ms, max: 20ms }
    mcp_args: { tenant: "{{secret.TENANT}}" }
    pagination: { mode: offset, page_size: 2, offset_param: offset, limit_param: limit, confirm: never }
`
  return `source_bindings:\n${remoteTables.map((name) => source(name, 'remote')).join('')}${localTables.map((name) => source(name, 'local')).join('')}`
}

function projectFile(url: string): string {
  return `strategies: .
storage: { url: "file://./out" }
redis: \${REDIS_URL}
queue: { checkpoint: off, signing_key: { value: ${JSON.stringify(planted.signingKey)} } }
secrets: { TENANT: { env: TENANT } }
credentials:
  vault:
    servers: [remote, local]
    headers:
      X-Value: { value: ${JSON.stringify(planted.credentialValue)} }
      X-Env: { env: CREDENTIAL_ENV }
      X-File: { file: ./credential.txt }
    env: { CREDENTIAL: { file: ./local-credential.txt } }
mcp_servers:
  remote:
    remote:
      url: "${url}?key=\${URL_KEY}"
      headers: { X-Server: "\${SERVER_HEADER}" }
      auth: { type: bearer, token: { env: BEARER } }
  local:
    local: { command: node, args: [${JSON.stringify(scripted)}, local.json], env: { TOKEN: "\${LOCAL_ENV}" } }
`
}

/** The secrets that a text holds, in whatever spelling. */
function leaks(text: string): string[] {
  return everySecret.filter((secret) =>
    [
      secret,
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
      Buffer.from(secret).toString('base64url'),
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ].some((form) => text.includes(form)),
  )
}

const redis = await startRedis({ own: true })
afterAll(async () => {
  if (redis.skipped === undefined) await redis.stop()
})

test.skipIf(redis.skipped !== undefined)(
  'no secret is ever said, queued or stored, although sources send them back in every kind of error',
  { timeout: 150_000 },
  async () => {
    if (redis.skipped !== undefined) return
    const workspace = await testWorkspace()
    const remote = await startScriptedMcp(scriptOf(remoteAnswers, remoteSecondPages))
    workspace.atEnd(() => remote.close())
    const monitor = await monitorRedis(redis.url, planted.redisPassword)
    workspace.atEnd(async () => monitor.close())
    Object.assign(workspace.env, {
      REDIS_URL: redis.url.replace('redis://', `redis://:${encodeURIComponent(planted.redisPassword)}@`),
      URL_KEY: planted.urlKey,
      SERVER_HEADER: planted.serverHeader,
      BEARER: planted.bearer,
      CREDENTIAL_ENV: planted.credentialEnv,
      LOCAL_ENV: planted.localEnv,
      TENANT: planted.lateSecret,
    })
    await workspace.write({
      'huntfleet.yaml': projectFile(remote.url),
      'credential.txt': `${planted.credentialFile}\n`,
      'local-credential.txt': planted.localCredential,
      'local.json': JSON.stringify(scriptOf({}, localSecondPages)),
      'hunt/contract.yaml': contract(),
      'hunt/binding.yaml': binding(),
    })

    const debug = ['--log-level', 'debug']
    await Promise.all([workspace.worker(...debug), workspace.worker(...debug)])
    const fleet = await workspace.huntfleet('enqueue', 'hunt', '--wait', '--json')
    const manifest = manifestSchema.parse(fleet.json())
    const run = ['run', 'hunt']
    const plan = ['plan', 'hunt']
    const preview = ['preview', 'hunt']
    const show = ['runs', 'show', manifest.run_id]
    for (const commands of [
      [run, [...run, '--json'], plan, [...plan, '--json']],
      [
        [...preview, 'tool_error'],
        [...preview, 'prose', '--json'],
        [...preview, 'rows'],
        ['validate', '--online'],
      ],
      [['runs', 'list'], ['runs', 'list', '--json'], show, [...show, '--json']],
    ]) {
      const ends = await Promise.all(commands.map((command) => workspace.huntfleet(...command)))
      expect(ends.map(({ code }) => code)).not.toContain(70)
    }

    // The secrets did travel: the servers got them, and their errors came back.
    const { headers, path } = remote.requests[0] ?? { headers: {}, path: '' }
    expect(headers).toMatchObject({
      authorization: `Bearer ${planted.bearer}`,
      'x-server': planted.serverHeader,
      'x-value': planted.credentialValue,
      'x-env': planted.credentialEnv,
      'x-file': planted.credentialFile,
    })
    expect(path).toContain(planted.urlKey)
    expect(remote.calls[0]?.args['tenant']).toBe(planted.lateSecret)
    expectErrors(manifest)

    expect(leaks(workspace.output()), 'stdout and stderr').toEqual([])
    expect(monitor.text()).toContain(manifest.run_id)
    expect(leaks(monitor.text()), 'commands to Redis').toEqual([])
    const files = await filesBelow(workspace.path('out'))
    expect(files.size).toBeGreaterThan(10)
    for (const [name, bytes] of files) {
      if (!name.endsWith('.parquet')) expect(leaks(bytes.toString()), name).toEqual([])
      else if (name.startsWith('_rejects/')) {
        expect(leaks(JSON.stringify(await parquetRows(bytes))), name).toEqual([])
      }
    }
    // Rows are evidence: they come as the source sent them.
    const { path: rowsPath } = manifest.tables['rows'] ?? {}
    const rows = await parquetRows(files.get(rowsPath ?? '') ?? Buffer.alloc(0))
    expect(rows.map((row) => row['text'])).toEqual([echo, 'a value that does not fit'])
  },
)

/** Every table ended as its source's answer demands, with a message that says more than the mask. */
function expectErrors(manifest: Manifest): void {
  const outcomes = Object.fromEntries(
    Object.entries(manifest.tables).map(([name, table]) => [
      name,
      `${table.outcome} ${table.error?.kind ?? ''}`.trim(),
    ]),
  )
  expect(outcomes).toEqual({
    denied: 'failed denied',
    tool_error: 'failed tool',
    rpc_error: 'failed config',
    payload_error: 'failed tool',
    prose: 'failed data',
    missing_items: 'failed data',
    late_argument: 'failed tool',
    rows: 'complete',
    server_error: 'page_error transient',
    cut_off: 'page_error data',
    dies: 'page_error transient',
  })
  expect(manifest.tables['tool_error']?.error?.message).toContain('rejected: ***')
  expect(manifest.tables['dies']?.error?.message).toContain('panic: rejected: ***')
}
