import { createHash, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import {
  expandEnv,
  type Json,
  jsonSchema,
  type Project,
  readSecret,
  secretSchema,
  type TableJob,
} from '@huntfleet/contract'

const derive = promisify<string, string, number, Buffer>(scrypt)

/**
 * A word for everything that the rows of a table depend on: servers and credentials as this worker has them, tools,
 * resolved arguments with their windows, how answers become rows, limits, and the storage. Two tables with the same word
 * would be the same. It stands in Redis, so what is secret goes through a slow hash.
 */
export async function fetchFingerprint(
  { spec, storage }: TableJob,
  project: Project,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { columns, budget, onReject, onIncomplete, dedupeKey } = spec
  const fetches = spec.fetches.map(({ label: _, ...fetch }) => fetch)
  const { mcp_servers, credentials, secrets, adapters } = project.text
  const access = spec.fetches.map(({ server, configKey }) => [
    mcp_servers[server] ?? null,
    configKey === null ? null : (credentials[configKey] ?? null),
  ])
  const known = canonical(jsonSchema.parse({ access, secrets, adapters }))
  const revealed = await withSecrets(known, { env, folder: project.folder })
  const identity = (await derive(revealed, 'huntfleet shared fetches', 32)).toString('hex')
  const text = canonical(
    jsonSchema.parse({
      columns,
      budget,
      onReject,
      onIncomplete,
      dedupeKey,
      fetches,
      identity,
      storage: storage.url,
    }),
  )
  return createHash('sha256').update(text).digest('hex')
}

/** JSON text that is the same whatever the order of keys. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}

/** The text with what its secrets and variables stand for behind it; one that cannot be read stands for itself. */
async function withSecrets(
  text: string,
  origin: { env: NodeJS.ProcessEnv; folder: string },
): Promise<string> {
  const values: string[] = []
  const walk = async (value: unknown): Promise<void> => {
    if (typeof value === 'string') values.push(expanded(value, origin.env))
    if (value === null || typeof value !== 'object') return
    const secret = secretSchema.safeParse(value)
    if (secret.success) values.push(await readSecret('shared', secret.data, origin).catch(() => ''))
    for (const item of Object.values(value)) await walk(item)
  }
  await walk(JSON.parse(text))
  return JSON.stringify([text, values])
}

function expanded(text: string, env: NodeJS.ProcessEnv): string {
  try {
    return expandEnv(text, env, 'shared').value
  } catch {
    return text
  }
}
