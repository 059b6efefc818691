import { createMasker } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import { serverResolver } from '../../src/mcp/resolve-server.ts'
import { projectOf } from '../project-fixture.ts'
import { errorOf } from '../table-run.ts'

const variable = (name: string) => `$\{${name}}`

/** The configuration of the server `siem` of a project file. */
function resolved(
  yaml: string,
  {
    env = {},
    key = null,
    name = 'siem',
  }: { env?: NodeJS.ProcessEnv; key?: string | null; name?: string } = {},
) {
  const masker = createMasker([])
  return { config: serverResolver(projectOf(yaml), env, masker)(name, key), masker }
}

const remote = (more = '') => `mcp_servers: { siem: { remote: { url: "https://siem.example/mcp"${more} } } }`

describe('a remote server', () => {
  test('has every default filled', async () => {
    expect(await resolved(remote()).config).toEqual({
      name: 'siem',
      protocol: 'auto',
      auth: { type: 'none' },
      limits: { concurrency: 4, callsPerMinute: null },
      maxMessageBytes: 67_108_864,
      maxClients: 4,
      idleMs: 300_000,
      maxAgeMs: 3_600_000,
      maxCalls: 1_000,
      isolation: 'pool',
      allowWrites: [],
      progressExtends: false,
      connectTimeoutMs: 20_000,
      transport: { kind: 'http', url: 'https://siem.example/mcp', headers: {}, legacySse: 'never' },
    })
  })

  test.each([
    ['streamable_http', 'never'],
    ['sse', 'only'],
    ['auto', 'auto'],
  ])('by transport %s uses the old one: %s', async (transport, legacySse) => {
    const { transport: config } = await resolved(remote(`, transport: ${transport}`)).config
    expect(config).toMatchObject({ legacySse })
  })

  test('has its variables filled in and masked', async () => {
    const yaml = `mcp_servers: { siem: { remote: { url: "https://${variable('HOST')}/mcp", headers: { X-Key: "k ${variable('TOKEN')}" } } } }`
    const { config, masker } = resolved(yaml, { env: { HOST: 'siem.internal', TOKEN: 'correct-horse' } })
    expect(await config).toMatchObject({
      transport: { url: 'https://siem.internal/mcp', headers: { 'X-Key': 'k correct-horse' } },
    })
    expect(masker.mask('correct-horse siem.internal')).toBe('*** ***')
  })

  test('cannot change the file’s structure with a variable', async () => {
    const yaml = `mcp_servers: { siem: { remote: { url: "https://x/${variable('PATH_PART')}" } } }`
    const { config } = resolved(yaml, {
      env: { PATH_PART: `", headers: { a: b }, x: "${variable('OTHER')}` },
    })
    expect((await config).transport).toMatchObject({
      url: `https://x/", headers: { a: b }, x: "${variable('OTHER')}`,
      headers: {},
    })
  })

  test('reads secret headers when it is resolved, and masks them', async () => {
    const { config, masker } = resolved(remote(', headers: { X-Key: { env: TOKEN } }'), {
      env: { TOKEN: 'correct-horse' },
    })
    expect((await config).transport).toMatchObject({ headers: { 'X-Key': 'correct-horse' } })
    expect(masker.mask('correct-horse')).toBe('***')
  })

  test.each([
    ['bearer, token: { env: TOKEN }', { type: 'bearer' }, 'token'],
    ['header, name: X-Api, value: { env: TOKEN }', { type: 'header', name: 'X-Api' }, 'value'],
    ['basic, user: kim, password: { env: TOKEN }', { type: 'basic' }, 'password'],
    [
      'oauth, token_url: "https://id.example/t", client_id: c, client_secret: { env: TOKEN }, scope: read',
      {
        type: 'oauth_client_credentials',
        tokenUrl: 'https://id.example/t',
        issuer: null,
        scope: 'read',
        audience: null,
      },
      'clientSecret',
    ],
  ])('reads its secret at the time of use: %s', async (auth, expected, field) => {
    const env: NodeJS.ProcessEnv = {}
    const { config, masker } = resolved(remote(`, auth: { type: ${auth} }`), { env })
    const found = (await config).auth
    expect(found).toMatchObject(expected)
    const read: unknown = Reflect.get(found, field)
    if (typeof read !== 'function') throw new Error('no reader')
    expect(await errorOf(read())).toMatchObject({
      code: 'SECRET_UNSET',
      message: expect.stringContaining('mcp_servers.siem.remote.auth'),
    })
    env['TOKEN'] = 'correct-horse'
    expect(await read()).toBe('correct-horse')
    expect(masker.mask('correct-horse')).toBe('***')
  })

  test('fails on a variable that is not set, and names it', async () => {
    const error = await errorOf(resolved(remote(`, headers: { X-Key: "${variable('MISSING')}" }`)).config)
    expect(error).toMatchObject({ code: 'SECRET_UNSET', message: expect.stringContaining('MISSING') })
  })

  test('leaves placeholders of its profiles alone: they are about bindings', async () => {
    const yaml = `mcp_servers:
  siem:
    remote: { url: "https://x" }
    defaults: { mcp_args: { q: "${variable('NOT_OURS')}" } }
    tools: { search: { mcp_args: { q: "${variable('NOR_THIS')}" } } }`
    expect(await resolved(yaml).config).toMatchObject({ name: 'siem' })
  })
})

describe('a local server', () => {
  const local = (more = '') => `mcp_servers: { siem: { local: { command: my-server${more} } } }`

  test('starts in the project’s folder, with half the concurrency of a remote one', async () => {
    expect(await resolved(local(', args: [--port, 7]')).config).toMatchObject({
      limits: { concurrency: 2 },
      maxClients: 2,
      connectTimeoutMs: 20_000,
      transport: {
        kind: 'stdio',
        command: 'my-server',
        args: ['--port', '7'],
        env: {},
        envPassthrough: [],
        cwd: '/project',
      },
    })
  })

  test('may start elsewhere, seen from the project’s folder', async () => {
    expect((await resolved(local(', cwd: servers/siem')).config).transport).toMatchObject({
      cwd: '/project/servers/siem',
    })
    expect((await resolved(local(', cwd: /opt')).config).transport).toMatchObject({ cwd: '/opt' })
  })

  test.each(['npx', 'uvx', 'docker'])(
    'gets a minute to start by %s, which may have to download it',
    async (command) => {
      expect(
        (await resolved(`mcp_servers: { siem: { local: { command: ${command} } } }`).config).connectTimeoutMs,
      ).toBe(60_000)
    },
  )

  test('reads secrets of its environment', async () => {
    const { config } = resolved(local(', env: { MODE: fast, N: 3, KEY: { env: TOKEN } }'), {
      env: { TOKEN: 'correct-horse' },
    })
    expect((await config).transport).toMatchObject({ env: { MODE: 'fast', N: '3', KEY: 'correct-horse' } })
  })

  test('takes its limits from the file', async () => {
    const yaml = `mcp_servers: { siem: { local: { command: x }, limits: { concurrency: 7, calls_per_minute: 30 }, max_clients: 3, idle_ttl: 1m, max_age: 10m, max_calls: 50, connect_timeout: 5s, max_message_bytes: 1000, isolation: job, allow_writes: [wipe], progress_extends: true } }`
    expect(await resolved(yaml).config).toMatchObject({
      limits: { concurrency: 7, callsPerMinute: 30 },
      maxClients: 3,
      connectTimeoutMs: 5_000,
      maxMessageBytes: 1_000,
      idleMs: 60_000,
      maxAgeMs: 600_000,
      maxCalls: 50,
      isolation: 'job',
      allowWrites: ['wipe'],
      progressExtends: true,
    })
  })
})

describe('a credential', () => {
  const two = (servers = '') => `
mcp_servers:
  siem: { remote: { url: "https://siem.example", headers: { X-Key: old, X-Other: kept } } }
  files: { local: { command: x, env: { A: old } } }
credentials:
  vendor: { headers: { X-Key: { env: TOKEN } }, env: { A: new }${servers} }`
  const env = { TOKEN: 'correct-horse' }

  test('is merged over the headers and the environment of its servers', async () => {
    const yaml = two(', servers: [siem, files]')
    expect((await resolved(yaml, { key: 'vendor', env }).config).transport).toMatchObject({
      headers: { 'X-Key': 'correct-horse', 'X-Other': 'kept' },
    })
    expect((await resolved(yaml, { key: 'vendor', env, name: 'files' }).config).transport).toMatchObject({
      env: { A: 'new' },
    })
  })

  test.each([
    ['does not list the server', two(', servers: [files]')],
    ['lists none while there are two servers', two()],
  ])('that %s is refused before anything is read', async (_, yaml) => {
    expect(await errorOf(resolved(yaml, { key: 'vendor', env: {} }).config)).toMatchObject({
      code: 'CREDENTIAL_REFUSED',
      context: { server: 'siem', hint: expect.stringContaining('credentials.vendor.servers') },
    })
  })

  test('may go to the only server without saying so', async () => {
    const yaml = `${remote()}\ncredentials: { vendor: { headers: { X-Key: k } } }`
    expect((await resolved(yaml, { key: 'vendor' }).config).transport).toMatchObject({
      headers: { 'X-Key': 'k' },
    })
  })

  test.each(['unknown', 'constructor'])('without an entry adds nothing: %s', async (key) => {
    expect((await resolved(two(), { key }).config).transport).toMatchObject({ headers: { 'X-Key': 'old' } })
  })
})

test.each(['other', 'constructor', '__proto__'])(
  'an unknown server %s is an error that names the known ones',
  async (name) => {
    expect(await errorOf(resolved(remote(), { name }).config)).toMatchObject({
      code: 'SERVER_UNKNOWN',
      message: expect.stringContaining('it knows siem'),
    })
  },
)
