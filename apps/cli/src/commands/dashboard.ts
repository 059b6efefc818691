import {
  type DashboardText,
  expandEnv,
  type Masker,
  RunError,
  readSecret,
  redisTarget,
  type SecretText,
} from '@huntfleet/contract'
import type { DashboardAuth } from '@huntfleet/dashboard'
import type { Command } from 'commander'
import { type CommonOptions, withCommonOptions } from '../command-options.ts'
import { openProject } from '../project-context.ts'
import type { Shell } from '../shell.ts'

interface DashboardOptions extends CommonOptions {
  host?: string
  port?: string
}

/** `huntfleet dashboard`: the queues in the browser, health and metrics, until it is told to end. */
export function addDashboardCommand(program: Command, shell: Shell): void {
  withCommonOptions(program.command('dashboard'))
    .description('serve Bull Board at /queues (read-only), /healthz and /metrics')
    .option('--host <address>', 'address to listen on; overrides dashboard.host')
    .option('--port <n>', 'port to listen on; overrides dashboard.port')
    .action(async (options: DashboardOptions) => {
      const { project, masker, output } = await openProject(options, shell)
      const { startDashboard } = await import('@huntfleet/dashboard')
      const { value: text, expanded } = expandEnv(project.text.dashboard, process.env, 'dashboard')
      for (const { name, value } of expanded) masker.add(name, value)
      const dashboard = await startDashboard({
        redis: redisTarget(project, process.env, masker),
        host: options.host ?? text.host,
        port: portOf(options.port ?? text.port),
        auth: await authOf(text.auth, project.folder, masker),
        allowedHosts: text.allowed_hosts,
        logger: {
          debug: () => {},
          info: () => {},
          warn: (message) => output.warn({ message }),
          error: (message) => output.note(`error: ${message}`),
        },
      })
      output.print(`dashboard at ${dashboard.url}/queues`)
      await new Promise<void>((resolve) => {
        process.once('SIGINT', () => resolve())
        process.once('SIGTERM', () => resolve())
      })
      await dashboard.close()
    })
}

function portOf(text: string | number): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new RunError('USAGE_INVALID', `${JSON.stringify(text)} is not a port (0 to 65535)`)
}

async function authOf(auth: DashboardText['auth'], folder: string, masker: Masker): Promise<DashboardAuth> {
  const read = async (where: string, secret: SecretText) => {
    const value = await readSecret(where, secret, { env: process.env, folder })
    masker.add(where, value)
    return value
  }
  switch (auth.type) {
    case 'none':
      return { type: 'none' }
    case 'basic': {
      const users = Object.entries(auth.users).map(
        async ([name, user]) =>
          [name, { password: await read(`dashboard.auth.users.${name}`, user.password) }] as const,
      )
      if (users.length === 0)
        throw new RunError(
          'PROJECT_INVALID',
          'dashboard.auth.type is basic, but dashboard.auth.users names nobody',
        )
      return { type: 'basic', users: Object.fromEntries(await Promise.all(users)) }
    }
    case 'bearer':
      if (auth.token === undefined)
        throw new RunError(
          'PROJECT_INVALID',
          'dashboard.auth.type is bearer, but dashboard.auth.token is missing',
        )
      return { type: 'bearer', token: await read('dashboard.auth.token', auth.token) }
    case 'proxy':
      throw new RunError(
        'PROJECT_INVALID',
        'dashboard.auth.type proxy is not supported yet; the types are none, basic and bearer',
      )
  }
}
