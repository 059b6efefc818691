import type { AnswerVocabulary } from './answer-vocabulary.ts'
import type { PageCaller } from './page-caller.ts'
import type { ToolResult } from './ports.ts'
import { type AnswerPage, linkUris, type ReadRequest, readAnswer } from './read-answer.ts'

/** Reads an answer, and through the same session the resources that it links to where the binding follows links. */
export async function readPage(
  result: ToolResult,
  request: Omit<ReadRequest, 'links' | 'deadline'>,
  caller: PageCaller,
  vocabulary: AnswerVocabulary,
): Promise<AnswerPage> {
  const links: string[] = []
  if (request.answer.followLinks)
    for (const uri of linkUris(result)) links.push(await caller.readResource(uri))
  return await readAnswer(result, { ...request, links, deadline: caller.deadline }, vocabulary)
}
