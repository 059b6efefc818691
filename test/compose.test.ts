import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseYamlFile } from '@huntfleet/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

const serviceSchema = z.object({
  image: z.string(),
  command: z.array(z.string()).default([]),
  entrypoint: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  deploy: z.object({ replicas: z.number() }).optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  ports: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
})
const composeSchema = z.object({ services: z.record(z.string(), serviceSchema) })

async function services() {
  const text = await readFile(`${root}/docker-compose.yml`, 'utf8')
  const { value } = parseYamlFile('docker-compose.yml', text, 'PROJECT_INVALID')
  return composeSchema.parse(value).services
}

async function service(name: string) {
  const found = (await services())[name]
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`)
  return found
}

test('Redis keeps what it is told and never evicts a job', async () => {
  const { command, volumes } = await service('redis')
  const settings = command.join(' ')
  expect(settings).toContain('--appendonly yes')
  expect(settings).toContain('--appendfsync everysec')
  expect(settings).toContain('--maxmemory-policy noeviction')
  expect(volumes).toEqual(['redis-data:/data'])
})

test('two workers start when Redis and the S3 server are healthy', async () => {
  const { deploy, depends_on: after, command } = await service('worker')
  expect(deploy).toEqual({ replicas: 2 })
  expect(after).toEqual({ redis: { condition: 'service_healthy' }, s3: { condition: 'service_healthy' } })
  expect(command[0]).toBe('worker')
})

test('whatever is waited for says when it is healthy', async () => {
  const all = await services()
  for (const { depends_on: after } of Object.values(all)) {
    for (const [name, { condition }] of Object.entries(after)) {
      if (condition === 'service_healthy') expect(all[name]?.healthcheck, name).toBeDefined()
    }
  }
})

test('the fleet shares one image, one Redis and one bucket, and the bucket is the one that is made', async () => {
  const all = await services()
  const bucket = String(all['worker']?.environment['S3_BUCKET'])
  for (const name of ['worker', 'enqueue', 'dashboard']) {
    expect(all[name]?.image).toBe('huntfleet:dev')
    expect(all[name]?.environment).toEqual(all['worker']?.environment)
  }
  expect(all['bucket']?.entrypoint.at(-1)).toBe(`/data/${bucket}`)
})

test('enqueue runs only when it is asked for', async () => {
  for (const [name, { profiles }] of Object.entries(await services())) {
    expect(profiles, name).toEqual(name === 'enqueue' ? ['enqueue'] : [])
  }
})

test('no port is open to other machines', async () => {
  const ports = Object.values(await services()).flatMap((each) => each.ports)
  expect(ports).toEqual(['127.0.0.1:4400:4400'])
})

test('the Dockerfile installs the packages of every workspace and runs as nobody special', async () => {
  const { build } = await service('worker')
  const dockerfile = await readFile(`${root}/${build?.dockerfile}`, 'utf8')
  for (const group of ['packages', 'apps']) {
    for (const name of await readdir(`${root}/${group}`)) {
      expect(dockerfile).toContain(`COPY ${group}/${name}/package.json ${group}/${name}/`)
    }
  }
  expect(dockerfile).toMatch(/^USER node$/m)
})

const hasCompose = await run('docker', ['compose', 'version']).then(
  () => true,
  () => false,
)

test.skipIf(!hasCompose)('docker compose takes the file', async () => {
  await expect(
    run('docker', ['compose', '--profile', 'enqueue', 'config', '-q'], { cwd: root }),
  ).resolves.toEqual({
    stdout: '',
    stderr: '',
  })
})
