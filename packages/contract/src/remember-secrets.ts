import type { Masker } from './masker.ts'
import type { Project } from './project.ts'
import { readSecret, type SecretText, secretSchema } from './secret.ts'

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}/g

/**
 * Gives every secret of a project file to the masker before anything is called: one server may echo what another was
 * told. Secrets that cannot be read yet are left to whoever needs them, and to his error.
 */
export async function rememberSecrets(
  project: Project,
  env: NodeJS.ProcessEnv,
  masker: Masker,
): Promise<void> {
  const { mcp_servers: servers, credentials, secrets, queue, dashboard, hunts } = project.text
  const found: [string, SecretText][] = []
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'string') {
      for (const [, name = ''] of value.matchAll(reference)) masker.add(name, env[name] ?? '')
      return
    }
    if (value === null || typeof value !== 'object') return
    const secret = secretSchema.safeParse(value)
    if (secret.success) found.push([path, secret.data])
    for (const [key, item] of Object.entries(value)) walk(item, `${path}.${key}`)
  }
  for (const [name, { remote, local }] of Object.entries(servers))
    walk({ remote, local }, `mcp_servers.${name}`)
  walk(credentials, 'credentials')
  walk(secrets, 'secrets')
  walk(queue, 'queue')
  walk(dashboard.auth, 'dashboard.auth')
  for (const [name, { notify }] of Object.entries(hunts)) walk(notify, `hunts.${name}.notify`)
  await Promise.all(
    found.map(async ([path, secret]) => {
      const value = await readSecret(path, secret, { env, folder: project.folder }).catch(() => '')
      masker.add(path, value)
    }),
  )
}
