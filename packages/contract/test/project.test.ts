import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createMasker } from '../src/masker.ts'
import { absoluteUrl, loadProject, redisTarget, storageTarget, withAdapters } from '../src/project.ts'
import { complaintsOf, vocabulary } from './read-documents.ts'
import { temporaryFolder } from './temporary-folder.ts'

async function load(files: Record<string, string>, more: { file?: string; overlay?: string } = {}) {
  const workingDirectory = await temporaryFolder(files)
  return { ...(await loadProject({ vocabulary, workingDirectory, ...more })), workingDirectory }
}

const loadText = (text: string) => load({ 'huntfleet.yaml': text })

/** Complaints about a project file, warnings last. */
async function complaints(text: string) {
  const { errors, project } = await loadText(text)
  return complaintsOf([...errors, ...project.warnings])
}

const remote = '{remote: {url: "https://mcp.example/"}}'

describe('huntfleet.yaml', () => {
  it('may be missing: every key has a default', async () => {
    const { project, errors, workingDirectory } = await load({})
    expect(errors).toEqual([])
    expect(project).toMatchObject({ file: null, folder: workingDirectory, source: null })
    expect(project.text).toEqual({
      strategies: './strategies',
      storage: {
        url: 'file://./staging',
        layout: 'strategy={strategy}/table={table}/dt={date}/run={run_id}',
        compression: 'zstd',
      },
      redis: ['$', '{REDIS_URL:-redis://127.0.0.1:6379}'].join(''),
      queue: { checkpoint: 'redis' },
      mcp_servers: {},
      credentials: {},
      secrets: {},
      adapters: {},
      hunts: {},
      run_limits: { deadline: 86_400_000 },
      dashboard: expect.objectContaining({
        host: '127.0.0.1',
        port: 4400,
        auth: { type: 'none', users: {} },
      }),
    })
  })

  it('may be empty, or name keys without values', async () => {
    for (const text of ['', '# nothing yet\n', 'mcp_servers:\nhunts:\nstorage:\n'])
      expect(await complaints(text)).toEqual([])
  })

  it('must exist when --config names it', async () => {
    await expect(load({}, { file: 'other.yaml' })).rejects.toMatchObject({
      code: 'PROJECT_INVALID',
      message: 'the project file other.yaml does not exist',
    })
  })

  it('sets the folder that its paths start from', async () => {
    const { project, workingDirectory } = await load(
      { 'sub/my.yaml': 'strategies: ./s\n' },
      { file: 'sub/my.yaml' },
    )
    expect(project).toMatchObject({ file: 'sub/my.yaml', folder: join(workingDirectory, 'sub') })
  })

  it.each<[string, string]>([
    ['storgae: {}\n', 'warning huntfleet.yaml:1:1 unknown key "storgae"; did you mean "storage"?'],
    ['storage: {ulr: x}\n', 'error huntfleet.yaml:1:11 unknown key "storage.ulr"; did you mean "url"?'],
    [
      'mcp_servers: {s: {remote: {url: x, transprot: sse}}}\n',
      'error huntfleet.yaml:1:36 unknown key "mcp_servers.s.remote.transprot"; did you mean "transport"?',
    ],
    [
      'mcp_servers: {s: {remote: {url: x}, tool_policy: {alow_only: [a]}}}\n',
      'error huntfleet.yaml:1:51 unknown key "mcp_servers.s.tool_policy.alow_only"; did you mean "allow_only"?',
    ],
    [
      'mcp_servers: {s: {remote: {url: x}, defaults: {time_out: 1s}}}\n',
      'error huntfleet.yaml:1:48 unknown key "mcp_servers.s.defaults.time_out"; did you mean "timeout"?',
    ],
    [
      'mcp_servers: {s: {remote: {url: x}, tools: {t: {items_pth: a}}}}\n',
      'error huntfleet.yaml:1:49 unknown key "mcp_servers.s.tools.t.items_pth"; did you mean "items_path"?',
    ],
    [
      'credentials: {c: {server: [a]}}\n',
      'error huntfleet.yaml:1:19 unknown key "credentials.c.server"; did you mean "servers"?',
    ],
    [
      'dashboard: {prot: 1}\n',
      'error huntfleet.yaml:1:13 unknown key "dashboard.prot"; did you mean "port"?',
    ],
    [
      'queue: {signing_kye: {env: X}}\n',
      'error huntfleet.yaml:1:9 unknown key "queue.signing_kye"; did you mean "signing_key"?',
    ],
    [
      'redis: {url: redis://x, prefx: y}\n',
      'warning huntfleet.yaml:1:25 unknown key "redis.prefx"; did you mean "prefix"?',
    ],
    ['mcp_servers: {Elastic: {}}\n', 'error huntfleet.yaml:1:15 mcp_servers.Elastic: '],
    [
      'mcp_servers: {s: {}}\n',
      'error huntfleet.yaml:1:18 mcp_servers.s: a server is either remote (with a url) or local (with a command)',
    ],
    [
      'mcp_servers: {s: {remote: {url: x}, local: {command: y}}}\n',
      'error huntfleet.yaml:1:18 mcp_servers.s: a server is either remote (with a url) or local (with a command)',
    ],
    [
      'mcp_servers: {s: {remote: {url: x}, limits: {concurrency: 0}}}\n',
      'error huntfleet.yaml:1:59 mcp_servers.s.limits.concurrency: 0: ',
    ],
    [
      'mcp_servers: {s: {remote: {url: x, auth: {type: barer}}}}\n',
      'error huntfleet.yaml:1:49 mcp_servers.s.remote.auth.type: "barer" is not one of none, bearer, header, basic, oauth; did you mean bearer?',
    ],
    [
      'mcp_servers: {s: {remote: {url: x, auth: {type: oauth, client_id: c, client_secret: {env: X}}}}}\n',
      'error huntfleet.yaml:1:42 mcp_servers.s.remote.auth: oauth needs issuer or token_url',
    ],
    [
      'credentials: {c: {headers: {X: {value: a, env: b}}}}\n',
      'error huntfleet.yaml:1:32 credentials.c.headers.X: a secret is exactly one of value, env, file',
    ],
    [
      'storage: {compression: lz4}\n',
      'error huntfleet.yaml:1:24 storage.compression: "lz4" is not one of zstd, snappy, gzip, none',
    ],
    ['strategies: 5\n', 'error huntfleet.yaml:1:13 strategies: 5 is not a text'],
    ['- a\n', 'error huntfleet.yaml:1:1 a list is not a map'],
  ])('is checked: %j', async (text, complaint) => {
    const all = await complaints(text)
    expect(all).toHaveLength(1)
    expect(all[0]?.slice(0, complaint.length)).toBe(complaint)
  })

  it('is never opened wider by a key without a value', async () => {
    const text = 'mcp_servers: {s: {remote: {url: x}, tool_policy: {allow_only: }}}\n'
    expect(await complaints(text)).toEqual([
      expect.stringMatching(
        /^error huntfleet\.yaml:1:\d+ mcp_servers\.s\.tool_policy\.allow_only: nothing is not a list/,
      ),
    ])
  })

  it('keeps what is right beside what is wrong', async () => {
    const { project, errors } = await loadText(`strategies: 5\nmcp_servers:\n  a: ${remote}\n  b: {}\n`)
    expect(errors).toHaveLength(2)
    expect(Object.keys(project.text.mcp_servers)).toEqual(['a'])
  })

  it('is refused when it is not YAML', async () => {
    await expect(loadText('a: [')).rejects.toMatchObject({
      code: 'PROJECT_INVALID',
      context: { file: 'huntfleet.yaml', line: 1 },
    })
  })

  it('takes numbers and switches where the environment of a server wants texts', async () => {
    const { project } = await loadText(
      'mcp_servers: {s: {local: {command: x, args: [-p, 8080], env: {DEBUG: true, PORT: 1}}}}\n',
    )
    expect(project.text.mcp_servers['s']?.local).toMatchObject({
      args: ['-p', '8080'],
      env: { DEBUG: 'true', PORT: '1' },
    })
  })
})

describe('the nesting mcp_servers.servers', () => {
  it('means the same', async () => {
    const { project } = await loadText(`mcp_servers:\n  servers:\n    a: ${remote}\n  b: ${remote}\n`)
    expect(Object.keys(project.text.mcp_servers)).toEqual(['b', 'a'])
  })

  it('keeps its places', async () => {
    expect(await complaints('mcp_servers:\n  servers:\n    a: {remote: {url: 5}}\n')).toEqual([
      'error huntfleet.yaml:3:23 mcp_servers.a.remote.url: 5 is not a text',
    ])
  })

  it('does not hide a server that is called servers', async () => {
    const { project } = await loadText(`mcp_servers:\n  servers: ${remote}\n`)
    expect(Object.keys(project.text.mcp_servers)).toEqual(['servers'])
  })
})

describe('an overlay', () => {
  const files = {
    'huntfleet.yaml': `strategies: ./a\nmcp_servers:\n  s: {remote: {url: "https://dev.example/"}, limits: {concurrency: 1}}\n`,
    'huntfleet.prod.yaml': `mcp_servers:\n  servers:\n    s: {remote: {url: "https://prod.example/"}}\n    t: ${remote}\n`,
    'huntfleet.bad.yaml': 'strategies: 5\nstorage: {ulr: x}\n',
  }

  it('is laid over the file key by key', async () => {
    const { project } = await load(files, { overlay: 'prod' })
    expect(project.text).toMatchObject({
      strategies: './a',
      mcp_servers: { s: { remote: { url: 'https://prod.example/' }, limits: { concurrency: 1 } }, t: {} },
    })
  })

  it('is named where it is wrong', async () => {
    const { errors } = await load(files, { overlay: 'bad' })
    expect(complaintsOf(errors)).toEqual([
      'error huntfleet.bad.yaml:1:13 strategies: 5 is not a text',
      'error huntfleet.bad.yaml:2:11 unknown key "storage.ulr"; did you mean "url"?',
    ])
  })

  it('must exist', async () => {
    await expect(load(files, { overlay: 'nope' })).rejects.toMatchObject({
      code: 'PROJECT_INVALID',
      message: 'the overlay huntfleet.nope.yaml of --env nope does not exist',
    })
  })
})

describe('own adapters', () => {
  it('are words of profiles and bindings', async () => {
    const text = `adapters: {mine: ./a.ts}\nmcp_servers: {s: {remote: {url: x}, defaults: {response_adapter: mine}}}\n`
    expect(await complaints(text)).toEqual([])
    const { project } = await loadText(text)
    expect(withAdapters(vocabulary, project.text).adapters).toEqual(['tabular_text', 'mine'])
  })
})

describe('a storage URL', () => {
  const at = (path: string) => pathToFileURL(path).href

  it.each([
    ['file://./staging', at('/base/staging')],
    ['file://../staging', at('/staging')],
    ['file://.', at('/base')],
    ['./staging', at('/base/staging')],
    ['staging/', at('/base/staging')],
    ['/data/x', at('/data/x')],
    ['file:///data/x/', at('/data/x')],
    ['file:///', 'file:///'],
    ['./with blank#', at('/base/with blank#')],
    ['s3://bucket', 's3://bucket'],
    ['s3://bucket/prefix/', 's3://bucket/prefix'],
  ])('%s is %s', (url, absolute) => {
    expect(absoluteUrl(url, '/base')).toBe(absolute)
  })
})

describe('the storage of a project', () => {
  const environment = (text: string) => ['$', `{${text}}`].join('')
  const target = async (
    storage: string,
    env: NodeJS.ProcessEnv = {},
    out?: { url: string; base: string },
  ) => {
    const { project, workingDirectory } = await loadText(`storage: ${storage}\n`)
    return { workingDirectory, target: storageTarget(project, env, createMasker([]), out) }
  }

  it('starts from the folder of the project file', async () => {
    const { target: storage, workingDirectory } = await target('{url: "file://./s"}')
    expect(storage).toEqual({
      url: pathToFileURL(join(workingDirectory, 's')).href,
      endpoint: null,
      region: null,
      pathStyle: false,
      layout: 'strategy={strategy}/table={table}/dt={date}/run={run_id}',
    })
  })

  it('gives way to --out, which starts from the current folder', async () => {
    const { target: storage } = await target('{url: "file://./s"}', {}, { url: './o', base: '/here' })
    expect(storage.url).toBe(pathToFileURL('/here/o').href)
  })

  it('puts buckets into paths when there is an endpoint, unless told otherwise', async () => {
    const text = 'url: s3://b, endpoint: http://127.0.0.1:9000'
    expect((await target(`{${text}}`)).target.pathStyle).toBe(true)
    expect((await target(`{${text}, path_style: false}`)).target.pathStyle).toBe(false)
  })

  it('is filled from the environment when it is used, and not before', async () => {
    const text = `{url: "s3://${environment('BUCKET')}"}`
    expect((await target(text, { BUCKET: 'hunts' })).target.url).toBe('s3://hunts')
    await expect(target(text)).rejects.toMatchObject({
      code: 'SECRET_UNSET',
      message: 'storage.url: the environment variable BUCKET is not set and has no default',
    })
    await expect(loadText(`storage: ${text}\n`)).resolves.toMatchObject({ errors: [] })
  })
})

describe('the Redis of a project', () => {
  const targetOf = async (text: string, env: NodeJS.ProcessEnv, masker = createMasker([])) =>
    redisTarget((await loadText(text)).project, env, masker)

  it('is that of REDIS_URL, else the local one', async () => {
    expect(await targetOf('', {})).toEqual({ url: 'redis://127.0.0.1:6379', prefix: '{huntfleet}' })
    expect(await targetOf('', { REDIS_URL: 'redis://r:1' })).toMatchObject({ url: 'redis://r:1' })
  })

  it('may have a prefix', async () => {
    expect(await targetOf('redis: {url: redis://r, prefix: "{p}"}\n', {})).toEqual({
      url: 'redis://r',
      prefix: '{p}',
    })
  })

  it.each(['hunter2hunter2', 'p%40ssword-1', '100%-sure-thing'])(
    'has a password that is masked: %s',
    async (password) => {
      const masker = createMasker([])
      const { url } = await targetOf('', { REDIS_URL: `redis://user:${password}@r:6379` }, masker)
      expect(url).toContain(password)
      expect(masker.mask(`cannot reach ${url}`)).not.toContain(password)
    },
  )
})
