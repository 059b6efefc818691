import { type Masker, ownValue, type Project, RunError, readSecret } from '@huntfleet/contract'
import { RateLimiter } from './mcp/rate-limiter.ts'
import { serverResolver } from './mcp/resolve-server.ts'
import { SessionPool } from './mcp/session-pool.ts'
import type { Clock, Logger } from './ports.ts'
import { adapters, formats } from './registry.ts'
import type { TablePorts } from './table-ports.ts'

/** The part of a table's ports that a process opens once and shares among its tables. */
export type Sources = Pick<
  TablePorts,
  'sessions' | 'limiter' | 'vocabulary' | 'policy' | 'secret' | 'mask'
> & {
  close(): Promise<void>
}

export interface OpenSourcesOptions {
  project: Project
  env: NodeJS.ProcessEnv
  masker: Masker
  clock: Clock
  logger: Logger
}

/** Opens what a process needs to call the servers of its project file; nothing is connected before it is leased. */
export function openSources({ project, env, masker, clock, logger }: OpenSourcesOptions): Sources {
  const servers = project.text.mcp_servers
  const sessions = new SessionPool({ resolve: serverResolver(project, env, masker), clock, logger })
  return {
    sessions,
    limiter: new RateLimiter(clock, (server) => ownValue(servers, server)?.limits.calls_per_minute ?? null),
    vocabulary: { formats, adapters },
    policy(server) {
      const text = ownValue(servers, server)
      return {
        allowWrites: text?.allow_writes ?? [],
        allowOnly: text?.tool_policy.allow_only ?? null,
        deny: text?.tool_policy.deny ?? [],
      }
    },
    async secret(name) {
      const secret = ownValue(project.text.secrets, name)
      if (secret === undefined) {
        throw new RunError('SECRET_UNSET', `{{secret.${name}}}: huntfleet.yaml has no secrets.${name}`, {
          hint: `add secrets.${name} with value, env or file where the fetch runs`,
        })
      }
      const value = await readSecret(`secrets.${name}`, secret, env)
      masker.add(`secrets.${name}`, value)
      return value
    },
    mask: (text) => masker.mask(text),
    close: () => sessions.close(),
  }
}
