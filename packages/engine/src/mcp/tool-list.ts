import { RunError } from '@huntfleet/contract'
import type { ToolInfo } from '../ports.ts'
import { isRecord } from './wire-message.ts'

/** More pages than this is a server that hands out cursors for ever. */
const maxPages = 1000

/**
 * All tools of a server. The schemas are taken as they are: one tool's broken `outputSchema` must not hide the others,
 * as it does in the SDK. `ask` requests one page of `tools/list`.
 */
export async function readToolList(
  ask: (cursor: string | undefined) => Promise<Record<string, unknown>>,
): Promise<readonly ToolInfo[]> {
  const tools: ToolInfo[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    const page = await ask(cursor)
    if (!Array.isArray(page['tools']))
      throw new RunError('ANSWER_INVALID', 'tools/list answered without a list of tools')
    for (const entry of page['tools']) {
      const tool = readTool(entry)
      if (tool) tools.push(tool)
    }
    const next = page['nextCursor']
    cursor = typeof next === 'string' && next !== '' && !seen.has(next) ? next : undefined
    if (cursor !== undefined) seen.add(cursor)
  } while (cursor !== undefined && seen.size < maxPages)
  return tools
}

function readTool(entry: unknown): ToolInfo | undefined {
  if (!isRecord(entry) || typeof entry['name'] !== 'string') return undefined
  const { name, description, inputSchema, annotations } = entry
  const readOnly = isRecord(annotations) ? annotations['readOnlyHint'] : undefined
  return {
    name,
    description: typeof description === 'string' ? description : '',
    inputSchema: isRecord(inputSchema) ? inputSchema : {},
    readOnly: typeof readOnly === 'boolean' ? readOnly : null,
  }
}
