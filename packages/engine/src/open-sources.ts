import {
  type Finding,
  findingAt,
  type Masker,
  ownValue,
  type Project,
  type RunError,
} from '@huntfleet/contract'
import { openAdapters } from './custom-adapters/open-adapters.ts'
import { type CallLimits, RateLimiter } from './mcp/rate-limiter.ts'
import { serverResolver } from './mcp/resolve-server.ts'
import { SessionPool } from './mcp/session-pool.ts'
import type { Clock, Logger } from './ports.ts'
import { projectSecret } from './project-secret.ts'
import { adapters, formats } from './registry.ts'
import type { TablePorts } from './table-ports.ts'

/** The part of a table's ports that a process opens once and shares among its tables. */
export type Sources = Pick<
  TablePorts,
  'sessions' | 'limiter' | 'vocabulary' | 'policy' | 'secret' | 'mask'
> & {
  /** Loads the project's own adapters, or those among these names, and says what keeps one from being used. */
  checkAdapters(names?: readonly string[]): Promise<Finding[]>
  close(): Promise<void>
}

export interface OpenSourcesOptions {
  project: Project
  env: NodeJS.ProcessEnv
  masker: Masker
  clock: Clock
  logger: Logger
}

/** The limits of a project file's servers. */
export function callLimits(project: Project): (server: string) => CallLimits {
  return (server) => {
    const limits = ownValue(project.text.mcp_servers, server)?.limits
    return { callsPerMinute: limits?.calls_per_minute ?? null, callsPerDay: limits?.calls_per_day ?? null }
  }
}

/** Opens what a process needs to call the servers of its project file; nothing is connected before it is leased. */
export function openSources({ project, env, masker, clock, logger }: OpenSourcesOptions): Sources {
  const servers = project.text.mcp_servers
  const sessions = new SessionPool({ resolve: serverResolver(project, env, masker), clock, logger })
  const custom = openAdapters({
    adapters: project.text.adapters,
    folder: project.folder,
    builtIn: Object.keys(adapters),
    env,
    clock,
    logger,
  })
  return {
    sessions,
    limiter: new RateLimiter(clock, callLimits(project)),
    vocabulary: { formats, adapters: { ...custom.parsers, ...adapters } },
    policy(server) {
      const text = ownValue(servers, server)
      return {
        allowWrites: text?.allow_writes ?? [],
        allowOnly: text?.tool_policy.allow_only ?? null,
        deny: text?.tool_policy.deny ?? [],
      }
    },
    secret: (name) => projectSecret(project, name, env, masker),
    mask: (text) => masker.mask(text),
    async checkAdapters(names) {
      const faults = await custom.check(names)
      return faults.map((fault) => adapterFinding(project, fault))
    },
    async close() {
      await sessions.close()
      await custom.close()
    },
  }
}

/** An adapter that cannot be used, at its line of the project file; the message names the module. */
function adapterFinding(project: Project, { code, message, context }: RunError): Finding {
  const { line, column, file, path = 'adapters' } = context
  const place =
    line === undefined ? '' : ` (${file}:${[line, column].filter((n) => n !== undefined).join(':')})`
  const text = `${message}${place}`
  if (project.source === null) return { severity: 'error', code, message: text }
  return findingAt(project.source, 'error', code, path.split('.'), text)
}
