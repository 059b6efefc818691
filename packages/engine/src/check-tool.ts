import { didYouMean, type ErrorCode, type JsonObject, RunError } from '@huntfleet/contract'
import { argumentMisfits } from './argument-fit.ts'
import type { ToolInfo } from './ports.ts'
import type { ToolPolicy } from './table-ports.ts'

/** Whether a tool exists and may be called: SPEC sections 7 and 16.4. */

/** Throws TOOL_REFUSED when the server's policy forbids a tool. */
export function refuseByPolicy(tool: string, server: string, policy: ToolPolicy): void {
  const denied = policy.deny.includes(tool) || (policy.allowOnly !== null && !policy.allowOnly.includes(tool))
  if (!denied) return
  const allowed = policy.allowOnly === null ? '' : `; allowed: ${policy.allowOnly.join(', ') || 'none'}`
  throw new RunError('TOOL_REFUSED', `tool_policy of the server ${server} forbids ${tool}${allowed}`, {
    server,
    tool,
    hint: `change mcp_servers.${server}.tool_policy in huntfleet.yaml if the tool may be called`,
  })
}

/** The tool of this name; throws TOOL_UNKNOWN with the names that there are. */
export function knownTool(name: string, server: string, tools: Iterable<ToolInfo>): ToolInfo {
  const known = [...tools]
  const tool = known.find((candidate) => candidate.name === name)
  if (tool !== undefined) return tool
  const names = known.map((candidate) => candidate.name)
  const guess = didYouMean(name, names)
  const shown = names.slice(0, 30).join(', ') + (names.length > 30 ? `, … (${names.length} in all)` : '')
  throw new RunError(
    'TOOL_UNKNOWN',
    `the server ${server} has no tool ${JSON.stringify(name)}; its tools are ${shown}${guess ? `; did you mean ${guess}?` : ''}`,
    { server, tool: name, hint: 'correct `mcp_tool` in binding.yaml' },
  )
}

/** Throws TOOL_REFUSED for a tool that says it writes, unless the server's own config allows it. */
export function refuseWrites(tool: ToolInfo, server: string, policy: ToolPolicy): void {
  if (tool.readOnly !== false || policy.allowWrites.includes(tool.name)) return
  throw new RunError(
    'TOOL_REFUSED',
    `the server ${server} says that ${tool.name} changes data (readOnlyHint: false)`,
    {
      server,
      tool: tool.name,
      hint: `add ${tool.name} to mcp_servers.${server}.allow_writes in huntfleet.yaml if a hunt may call it`,
    },
  )
}

/** Something about a tool or its arguments, at a field of the binding. */
export interface ToolFinding {
  severity: 'error' | 'warning'
  code: ErrorCode
  field: 'mcp_tool' | 'mcp_args'
  message: string
}

/**
 * What is wrong with calling a tool with these arguments as they stand in the binding: values with placeholders are not
 * known yet and count by their names only.
 */
export function toolFinding(
  name: string,
  server: string,
  tools: readonly ToolInfo[],
  policy: ToolPolicy,
  written: JsonObject,
): ToolFinding[] {
  const args = Object.keys(written)
  let tool: ToolInfo
  try {
    refuseByPolicy(name, server, policy)
    tool = knownTool(name, server, tools)
    refuseWrites(tool, server, policy)
  } catch (error) {
    if (!(error instanceof RunError)) throw error
    return [{ severity: 'error', code: error.code, field: 'mcp_tool', message: error.message }]
  }
  const { properties, required, additionalProperties } = tool.inputSchema
  const declared = properties !== null && typeof properties === 'object' ? Object.keys(properties) : []
  const missing = Array.isArray(required)
    ? required.filter((one) => typeof one === 'string' && !args.includes(one))
    : []
  const unknown = declared.length > 0 ? args.filter((one) => !declared.includes(one)) : []
  const at = { code: 'ARGUMENT_INVALID', field: 'mcp_args' } as const
  return [
    ...missing.map(
      (one): ToolFinding => ({
        ...at,
        severity: 'warning',
        message: `${name} requires the argument ${one}, which mcp_args does not set (a paging parameter may)`,
      }),
    ),
    ...argumentMisfits({ type: 'object', properties }, literalOnly(written)).map(
      (misfit): ToolFinding => ({ ...at, severity: 'error', message: `${name}: ${misfit}` }),
    ),
    ...unknown.map((one): ToolFinding => {
      const guess = didYouMean(one, declared)
      const message = `${name} does not declare the argument ${one}; it declares ${declared.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`
      return { ...at, severity: additionalProperties === false ? 'error' : 'warning', message }
    }),
  ]
}

function literalOnly(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => !JSON.stringify(value).includes('{{')))
}
