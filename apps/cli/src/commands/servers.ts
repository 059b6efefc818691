import { type Masker, ownValue, RunError, type ServerText, toRunError } from '@huntfleet/contract'
import { openSources, systemClock, type ToolInfo, type ToolPolicy } from '@huntfleet/engine'
import type { Command } from 'commander'
import { type CommonOptions, withCommonOptions } from '../command-options.ts'
import { openProject, type ProjectContext } from '../project-context.ts'
import { quietLogger } from '../quiet-logger.ts'
import type { Shell } from '../shell.ts'
import { textTable } from '../terminal/text-table.ts'

interface ServerOptions extends CommonOptions {
  configKey?: string
}

/** Longest wait for a server that is asked what it offers. */
const answerMs = 60_000

/** `huntfleet servers list|test|tools`: which MCP servers there are, whether they answer, what they offer. */
export function addServersCommand(program: Command, shell: Shell): void {
  const servers = program.command('servers').description('the MCP servers of the project file')
  withCommonOptions(servers.command('list'))
    .description('the servers with their transports and limits; nothing is connected')
    .action(async (options: CommonOptions) => {
      const { project, output } = await openProject(options, shell)
      const list = Object.entries(project.text.mcp_servers).map(([name, server]) => ({
        name,
        ...factsOf(server),
      }))
      if (options.json === true) output.printMasked({ servers: list })
      else
        output.print(
          textTable(
            ['server', 'transport', 'protocol', 'auth', 'tables at once', 'calls a minute'],
            list.map((one) => [
              one.name,
              one.transport,
              one.protocol,
              one.auth,
              String(one.concurrency),
              String(one.calls_per_minute ?? ''),
            ]),
          ),
        )
    })
  withCommonOptions(servers.command('test [server]'))
    .description('connect to the servers (all, or one) and say what is wrong with those that do not answer')
    .option('--config-key <name>', 'with these credentials')
    .action(async (name: string | undefined, options: ServerOptions) => {
      const context = await openProject(options, shell)
      const names =
        name === undefined ? Object.keys(context.project.text.mcp_servers) : [known(context, name)]
      const results = await withTools(context, names, options.configKey ?? null)
      const failed = results.filter((one) => one.error !== null)
      if (options.json === true)
        context.output.printMasked({
          servers: results.map(({ tools, ...rest }) => ({ ...rest, tools: tools.length })),
        })
      else {
        for (const { server, version, tools, ms, error } of results) {
          context.output.print(
            error === null
              ? `${server}: ok, ${version}, ${tools.length} tools, ${ms} ms`
              : `${server}: ${error.code}: ${error.message}`,
          )
          if (error?.hint !== undefined) context.output.print(`  ${error.hint}`)
        }
      }
      shell.exit(failed.length > 0 ? 3 : 0)
    })
  withCommonOptions(servers.command('tools <server>'))
    .description('the tools of a server with their arguments, and which of them a binding may call')
    .option('--config-key <name>', 'with these credentials')
    .action(async (name: string, options: ServerOptions) => {
      const context = await openProject(options, shell)
      const [result] = await withTools(context, [known(context, name)], options.configKey ?? null)
      if (result === undefined) return
      if (result.error !== null)
        throw new RunError(result.error.code, result.error.message, { hint: result.error.hint })
      const tools = result.tools.map((tool) => describeTool(tool, result.policy))
      if (options.json === true) context.output.printMasked({ server: name, tools })
      else for (const tool of tools) context.output.print(toolLines(tool))
    })
}

function describeTool(tool: ToolInfo, policy: ToolPolicy) {
  return {
    name: tool.name,
    may_call: mayCall(tool, policy),
    arguments: argumentsOf(tool),
    description: tool.description,
    input_schema: tool.inputSchema,
  }
}

function toolLines(tool: ReturnType<typeof describeTool>): string {
  const forbidden = tool.may_call === 'yes' ? '' : ` [${tool.may_call}]`
  const words = tool.description.trim().split('\n')[0] ?? ''
  const head = `${tool.name}(${tool.arguments.join(', ')})${forbidden}`
  return words === '' ? head : `${head}\n  ${words.slice(0, 160)}`
}

function factsOf(server: ServerText) {
  return {
    transport: server.local === undefined ? (server.remote?.transport ?? '') : 'stdio',
    address: server.local?.command ?? server.remote?.url ?? '',
    protocol: server.protocol,
    auth: server.remote?.auth.type ?? 'none',
    concurrency: server.limits.concurrency ?? (server.local === undefined ? 4 : 2),
    calls_per_minute: server.limits.calls_per_minute ?? null,
    calls_per_day: server.limits.calls_per_day ?? null,
  }
}

function known({ project }: ProjectContext, name: string): string {
  const names = Object.keys(project.text.mcp_servers)
  if (ownValue(project.text.mcp_servers, name) !== undefined) return name
  throw new RunError(
    'SERVER_UNKNOWN',
    `huntfleet.yaml has no MCP server ${JSON.stringify(name)}; its servers are ${names.join(', ') || 'none'}`,
  )
}

/** Asks each server for its tools; what goes wrong is part of the answer. */
async function withTools(context: ProjectContext, names: readonly string[], configKey: string | null) {
  const { project, masker } = context
  const sources = openSources({ project, env: process.env, masker, clock: systemClock, logger: quietLogger })
  try {
    return await Promise.all(
      names.map(async (server) => {
        const startedAt = performance.now()
        const signal = AbortSignal.timeout(answerMs)
        const ms = () => Math.round(performance.now() - startedAt)
        const base = { server, policy: sources.policy(server) }
        try {
          const lease = await sources.sessions.lease(server, configKey, signal)
          const tools = await lease.session
            .listTools({ timeoutMs: answerMs, signal })
            .finally(() => lease.release(false))
          const version =
            lease.session.server === null
              ? 'unnamed'
              : `${lease.session.server.name} ${lease.session.server.version}`
          return { ...base, version, tools, ms: ms(), error: null }
        } catch (thrown) {
          return { ...base, version: '', tools: [], ms: ms(), error: errorOf(thrown, masker) }
        }
      }),
    )
  } finally {
    await sources.close()
  }
}

function errorOf(thrown: unknown, masker: Masker) {
  const error = toRunError(thrown)
  return { code: error.code, message: masker.mask(error.message), hint: error.context.hint }
}

/** Whether a binding may call a tool, and if not, what forbids it. */
function mayCall(tool: ToolInfo, policy: ToolPolicy): string {
  if (policy.deny.includes(tool.name) || (policy.allowOnly !== null && !policy.allowOnly.includes(tool.name)))
    return 'forbidden by tool_policy'
  if (tool.readOnly === false && !policy.allowWrites.includes(tool.name)) return 'writes: needs allow_writes'
  return 'yes'
}

/** Argument names, optional ones with `?`. */
function argumentsOf(tool: ToolInfo): string[] {
  const { properties, required } = tool.inputSchema
  const names = properties !== null && typeof properties === 'object' ? Object.keys(properties) : []
  return names.map((name) => (Array.isArray(required) && required.includes(name) ? name : `${name}?`))
}
