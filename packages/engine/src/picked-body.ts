import type { AnswerSpec } from '@huntfleet/contract'
import { selectTexts } from './content-blocks.ts'
import type { ToolResult } from './ports.ts'

/** What of an answer rows are looked for in, for people to look at. */
export interface PickedBody {
  /** `text` of the chosen blocks, or `structuredContent` as JSON. */
  from: 'text' | 'structured'
  text: string
}

/** The text blocks that `content` chooses, else structuredContent. */
export function pickedBody(result: ToolResult, answer: AnswerSpec): PickedBody {
  const { texts } = selectTexts(result, answer)
  if (texts.length > 0 && answer.contentFrom !== 'structured') return { from: 'text', text: texts.join('\n') }
  return { from: 'structured', text: JSON.stringify(result.structuredContent ?? null, null, 2) }
}
