import { type Finding, findingAt, type Json, type Strategy, toRunError } from '@huntfleet/contract'
import { openSources, systemClock, type ToolInfo, toolFinding } from '@huntfleet/engine'
import type { ProjectContext } from './project-context.ts'
import { quietLogger } from './quiet-logger.ts'

/** Longest wait for a server's list of tools. */
const listTimeoutMs = 30_000

/** Asks the servers of a strategy whether its tools exist, may be called and take the arguments. */
export async function checkOnline(context: ProjectContext, strategy: Strategy): Promise<Finding[]> {
  const sources = openSources({
    project: context.project,
    env: process.env,
    masker: context.masker,
    clock: systemClock,
    logger: quietLogger,
  })
  const lists = new Map<string, Promise<readonly ToolInfo[]>>()
  const toolsOf = (server: string, configKey: string | null) => {
    const key = `${server} ${configKey ?? ''}`
    const known = lists.get(key)
    if (known !== undefined) return known
    const signal = AbortSignal.timeout(2 * listTimeoutMs)
    const asked = (async () => {
      const lease = await sources.sessions.lease(server, configKey, signal)
      try {
        const tools = await lease.session.listTools({ timeoutMs: listTimeoutMs, signal })
        await lease.release(true)
        return tools
      } catch (error) {
        await lease.release(false)
        throw error
      }
    })()
    lists.set(key, asked)
    return asked
  }
  const findings: Finding[] = []
  const file = strategy.source.binding
  try {
    for (const bound of [...(strategy.binding?.sources.values() ?? [])].flat()) {
      const { mcp_server: server, mcp_tool: tool, mcp_args: args } = bound.binding
      if (bound.mode !== 'fleet' || server === undefined || tool === undefined || file === null) continue
      const say = (severity: Finding['severity'], code: Finding['code'], field: string, message: string) =>
        findings.push(
          findingAt(file, severity, code, [...bound.at, field], `${bound.at.join('.')}: ${message}`),
        )
      try {
        const written: Record<string, Json> = { ...args }
        const {
          query_template: query,
          query_param: queryParam = 'query',
          index,
          index_param: indexParam = 'index',
        } = bound.binding
        if (query !== undefined) written[queryParam] ??= query
        if (index !== undefined) written[indexParam] ??= index
        const tools = await toolsOf(server, bound.binding.config_key ?? null)
        for (const finding of toolFinding(tool, server, tools, sources.policy(server), written)) {
          say(finding.severity, finding.code, finding.field, finding.message)
        }
      } catch (thrown) {
        const error = toRunError(thrown)
        say('error', error.code, 'mcp_server', context.masker.mask(error.message))
      }
    }
  } finally {
    await sources.close()
  }
  return findings
}
