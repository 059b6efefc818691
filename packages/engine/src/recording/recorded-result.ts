import type { ExactObject } from '../json/exact.ts'
import { toPlain } from '../json/to-plain.ts'
import type { ToolResult } from '../ports.ts'
import type { RecordedResult } from './recording-line.ts'

/** An answer as it was received, from what was kept of it; `exact` is the same document with every digit. */
export function recordedResult(
  { content, isError, bytes }: RecordedResult,
  exact: ExactObject | null,
): ToolResult {
  const meta = exact?.get('_meta')
  return {
    content: content.map(({ type, text, uri, mimeType }) => ({
      type,
      ...(text !== undefined && { text }),
      ...(uri !== undefined && { uri }),
      ...(mimeType !== undefined && { mimeType }),
    })),
    structuredContent: exact?.get('structuredContent'),
    meta: meta === undefined ? undefined : toPlain(meta),
    isError,
    bytes,
  }
}
