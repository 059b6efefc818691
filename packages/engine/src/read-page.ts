import type { AnswerSpec } from '@huntfleet/contract'
import type { AnswerVocabulary } from './answer-vocabulary.ts'
import type { PageCaller } from './page-caller.ts'
import type { ToolResult } from './ports.ts'
import { type AnswerPage, linkUris, type ReadRequest, readAnswer } from './read-answer.ts'

/** Texts of the resources that an answer links to, read through the same session, where the binding follows links. */
export async function linkTexts(
  result: ToolResult,
  answer: AnswerSpec,
  caller: PageCaller,
): Promise<string[]> {
  const texts: string[] = []
  if (answer.followLinks) for (const uri of linkUris(result)) texts.push(await caller.readResource(uri))
  return texts
}

/** Reads an answer, and the resources that it links to where the binding follows links. */
export async function readPage(
  result: ToolResult,
  request: Omit<ReadRequest, 'links' | 'deadline'>,
  caller: PageCaller,
  vocabulary: AnswerVocabulary,
): Promise<AnswerPage> {
  const links = await linkTexts(result, request.answer, caller)
  return await readAnswer(result, { ...request, links, deadline: caller.deadline }, vocabulary)
}
