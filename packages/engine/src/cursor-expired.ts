import { RunError } from '@huntfleet/contract'

/** What sources call the thing that says where a fetch stands. */
const cursorNames =
  '(?:cursor|scroll(?:[ _-]?id)?|search[ _-]?context|point[ _-]in[ _-]time|(?:page|paging|pagination|continuation|next(?:[ _-]?page)?|resume|skip)[ _-]?(?:token|key|id))'
const gone =
  '(?:expired|invalid|unknown|missing|stale|not found|not valid|no longer (?:valid|available|exists?)|does not exist)'

/** Every repetition is bounded: the text is a source's. */
const phrases: readonly RegExp[] = [
  // The cursor "abc" has expired
  new RegExp(`\\b${cursorNames}\\b[^\\n]{0,60}?\\b${gone}`, 'i'),
  // Invalid or expired pagination token
  new RegExp(`\\b${gone}(?: or expired)? ["'\`]?${cursorNames}`, 'i'),
  // Elasticsearch: search_context_missing_exception: No search context found for id [7]
  /\bno search context found\b|\bsearch_context_missing/i,
]

/**
 * The error as CURSOR_EXPIRED when its words say that the source no longer knows the place where the next page begins;
 * undefined for any other. To be asked about pages after the first only.
 */
export function cursorExpired(error: RunError): RunError | undefined {
  // A refusal by the tool's schema is one too: MCP itself answers an unknown cursor with -32602.
  const mayBe =
    error.kind === 'tool' ||
    error.kind === 'data' ||
    error.code === 'SOURCE_DENIED' ||
    error.code === 'ARGUMENT_INVALID'
  if (!mayBe || !phrases.some((phrase) => phrase.test(error.message))) return undefined
  return new RunError(
    'CURSOR_EXPIRED',
    `the source no longer knows the cursor of this page: ${error.message}`,
    {
      ...error.context,
      hint: 'set dedupe_key, so that the fetch may begin again and leave out the rows that it has; or fetch faster: larger pages, fewer rows',
    },
    error,
  )
}
