/**
 * Response adapter for `get_security_alerts` of google/mcp-security, which answers in prose, as a JSON string:
 *
 *     "Found 2 security alerts:\n\nAlert 1:\nRule: rule_lsass\nCreated: 2026-02-03T04:05:06Z\n\nAlert 2:\n…"
 *
 * One row per alert, with the names before the colons as fields. A line without a name, or with one that the alert has
 * already, goes on with the value above it. The count that the tool gives is checked, so that a text that was cut off
 * is an error and not a short page.
 */
export default function secopsAlerts(text: string): Record<string, string>[] {
  const prose = unquoted(text.trim())
  if (/^no (?:security )?alerts\b/i.test(prose)) return []
  const found = /^Found (\d+) (?:security )?alerts?:/i.exec(prose)?.[1]
  if (found === undefined) throw new Error(`there is no line "Found N security alerts:"; ${beginning(prose)}`)
  const alerts: Map<string, string>[] = []
  let field = ''
  for (const line of prose.split(/\r?\n/).slice(1)) {
    const alert = alerts.at(-1)
    const [, name = '', value = ''] = /^([A-Z][A-Za-z ]{0,40}):(?: (.*))?$/.exec(line) ?? []
    if (/^Alert \d+:$/.test(line)) alerts.push(new Map())
    else if (line.trim() === '' || alert === undefined) field = ''
    else if (name !== '' && !alert.has(name)) {
      field = name
      alert.set(field, value)
    } else if (field !== '') alert.set(field, `${alert.get(field)}\n${line}`)
    else throw new Error(`a line that belongs to no field: ${line.slice(0, 120)}`)
  }
  if (alerts.length === Number(found)) return alerts.map((alert) => Object.fromEntries(alert))
  throw new Error(`the answer says that it found ${found} alerts and lists ${alerts.length}`)
}

/** The server serialises its text once more. */
function unquoted(text: string): string {
  const inner: unknown = text.startsWith('"') ? JSON.parse(text) : text
  return typeof inner === 'string' ? inner : text
}

const beginning = (text: string) => `the text begins: ${text.slice(0, 120)}`
