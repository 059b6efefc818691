/**
 * Response adapter for the relationship tools of mcp-virustotal (BurtTheCoder), which answer in prose:
 *
 *     🌍 Domain evil.example — subdomains
 *     Showing 2 of 57 items.
 *
 *       • a.evil.example
 *       • b.evil.example
 *
 *     📄 More results available. Use cursor: STIKMjB8Lg==
 *
 * One row per bullet, with the field `item`. The count that the tool gives is checked, so that a text that was cut
 * off on its way is an error and not a short page.
 */
export default function virustotalList(text: string): { item: string }[] {
  const lines = text.split(/\r?\n/)
  const rows = lines.flatMap((line) => {
    const bullet = /^\s*• (.*\S)\s*$/u.exec(line)
    return bullet?.[1] === undefined ? [] : [{ item: bullet[1] }]
  })
  const shown = lines.map((line) => /^Showing (\d+) of \d+ items?\.$/.exec(line.trim())?.[1]).find(Boolean)
  if (shown !== undefined && Number(shown) === rows.length) return rows
  if (shown !== undefined)
    throw new Error(`the list says that it shows ${shown} items and has ${rows.length}`)
  if (rows.length === 0 && /^no .{0,80}\bfound\b/im.test(text)) return []
  throw new Error(`there is no line "Showing N of M items."; the text begins: ${text.slice(0, 120)}`)
}
