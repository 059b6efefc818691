import { compileRegex } from '@huntfleet/contract'
import type { AnswerPage } from './answer-page.ts'
import type { PageFacts } from './paginator.ts'
import { compilePath, readPath } from './path.ts'

/** What a paginator may know of a page that was read. */
export function pageFacts(page: AnswerPage): PageFacts {
  return {
    items: page.items,
    lastRow: page.rows.at(-1),
    fingerprint: page.fingerprint,
    truncation: page.truncation,
    find(text) {
      const path = compilePath(text)
      for (const document of page.lookups) {
        const value = readPath(document, path)
        if (value !== undefined) return value
      }
      return undefined
    },
    match: (pattern) => compileRegex(pattern).match(page.cursorText)?.[1],
  }
}
