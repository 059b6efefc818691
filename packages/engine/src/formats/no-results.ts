/** Longer texts say more than that there are no rows. */
const longest = 300

const nothing =
  '(?:results?|rows?|records?|data|events?|matches|hits|entries|items|alerts|detections|documents|logs|incidents|findings)'
const found = '(?: (?:was|were))?(?: (?:found|returned|available|matched|match|to display|to show))?'
/** For what, in which time: free words, but none that tell of a failure. */
const scope =
  '(?: (?:for|in|from|with|within|between|matching|that|the query|your query)(?:(?!denied|error|fail|forbid|invalid|limit|time(?:d )?out|unauth|unavailable).)*)?'

/** A sentence that says: no rows. */
const noRows = new RegExp(
  `^\\(?(?:(?:the |your |this )?(?:query|search) )?(?:(?:returned|found|produced|matched|has|had) )?(?:no|0|zero)(?: (?:matching|search|query|log|security|new|more|such|relevant))? ${nothing}${found}${scope}\\)?$`,
)
/** The counts of an answer without rows, or of a page behind the last row ("Total results: 2500, showing 0"). */
const zeroCount =
  /^(?:match count|rows|total results|total): (?:0(?:\.0)?|\d+(?=, showing 0))(?:, showing 0(?: from position \d+)?)?$/
/** Sentences that may stand beside it. */
const success =
  /^(?:(?:the |your )?(?:query|search) (?:was )?(?:executed|completed|finished|ran|succeeded)(?: successfully)?|success|ok|done|results:|columns: 0)$/

/** Whether a text says, in words and as a whole, that there are no rows: "Query executed successfully. 0 rows." */
export function saysNoResults(text: string): boolean {
  const whole = text.trim()
  if (whole.length > longest) return false
  const sentences = whole
    .toLowerCase()
    .split(/[.!](?:\s+|$)|\n/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
  return (
    sentences.some((sentence) => noRows.test(sentence) || zeroCount.test(sentence)) &&
    sentences.every((sentence) => noRows.test(sentence) || zeroCount.test(sentence) || success.test(sentence))
  )
}
