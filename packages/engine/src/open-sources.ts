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
import { openTablePipeline } from './table-pipeline.ts'
import type { TablePorts } from './table-ports.ts'
import { PipelineThreads } from './threads/pipeline-threads.ts'

/** The part of a table's ports that a process opens once and shares among its tables. */
export type Sources = Pick<
  TablePorts,
  'sessions' | 'limiter' | 'vocabulary' | 'policy' | 'secret' | 'mask' | 'openPipeline'
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
  /** Threads at most that read and encode answers; absent or 0: the thread that calls `runTable` does it. */
  threads?: number
}

/** The limits of a project file's servers. */
export function callLimits(project: Project): (server: string) => CallLimits {
  return (server) => {
    const limits = ownValue(project.text.mcp_servers, server)?.limits
    return { callsPerMinute: limits?.calls_per_minute ?? null, callsPerDay: limits?.calls_per_day ?? null }
  }
}

/** Opens what a process needs to call the servers of its project file; nothing is connected before it is leased. */
export function openSources(options: OpenSourcesOptions): Sources {
  const { project, env, masker, clock, logger, threads = 0 } = options
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
  const vocabulary = { formats, adapters: { ...custom.parsers, ...adapters } }
  const mask = (text: string) => masker.mask(text)
  const pool =
    threads > 0
      ? new PipelineThreads({ size: threads, masker, logger, clock, modules: custom.modules })
      : undefined
  return {
    sessions,
    limiter: new RateLimiter(clock, callLimits(project)),
    vocabulary,
    policy(server) {
      const text = ownValue(servers, server)
      return {
        allowWrites: text?.allow_writes ?? [],
        allowOnly: text?.tool_policy.allow_only ?? null,
        deny: text?.tool_policy.deny ?? [],
      }
    },
    secret: (name) => projectSecret(project, name, env, masker),
    mask,
    openPipeline: (spec, more) =>
      pool?.open(spec, more) ?? openTablePipeline(spec, { ...more, vocabulary, mask }),
    async checkAdapters(names) {
      const faults = await custom.check(names)
      return faults.map((fault) => adapterFinding(project, fault))
    },
    async close() {
      await sessions.close()
      await pool?.close()
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
