import { RunError } from '@huntfleet/contract'
import type { Format } from '../format.ts'
import type { Exact } from '../json/exact.ts'
import { parseExact } from '../json/parse-exact.ts'
import type { RowReject, SourceRow } from '../source-row.ts'
import { excerpt } from '../visible-text.ts'
import { saysNoResults } from './no-results.ts'
import { noteLines } from './note-lines.ts'
import { emptyPage, linesOf, pageText } from './page-text.ts'
import { isWanted, wantedSources } from './wanted-columns.ts'

/**
 * Records of `field: value` lines with a blank line between records, as Elastic's MCP server 0.3.1 prints one hit per
 * content block. Whoever joins content blocks puts a blank line between them: without one, two records cannot be told
 * apart. A value is JSON, or a text that does not look like JSON (`message (highlighted): …` keeps that name); an
 * empty one is null.
 *
 * A group of lines is a record when it has a field that is wanted, or several lines of which one has a JSON string,
 * array or object or all have JSON values; any other group is prose and goes to the remainder and the notes. A record with a line
 * that is no field, a field that comes twice or a value that starts as JSON and is none is a reject.
 * Throws PARSE_FAILED when every record is a reject, or when there is none and the text does not say so.
 */
export const keyValue: Format = (text, context) => {
  const source = pageText(text)
  const rows: SourceRow[] = []
  const rejects: RowReject[] = []
  const prose: string[] = []
  const sources = wantedSources(context.fields)
  for (const group of groupsOf(source)) {
    const record = readRecord(group)
    if (!isRecord(record, group.length, sources)) {
      prose.push(group.join('\n'))
    } else if (record.fault === null) {
      rows.push(record.fields)
    } else {
      const row = rows.length + rejects.length + 1
      rejects.push({ row, reason: record.fault, raw: group.join('\n'), stored: false })
    }
  }
  const [first] = rejects
  if (first !== undefined && rows.length === 0) throw everyRecordBad(first, rejects.length)
  const remainder = prose.join('\n\n')
  const items = rows.length + rejects.length
  if (items === 0 && remainder !== '' && !saysNoResults(remainder)) throw noRecord(remainder)
  const notes = items > 0 ? noteLines(prose) : []
  return { ...emptyPage(remainder), rows, rejects, items, notes }
}

interface KeyValueRecord {
  fields: Map<string, Exact>
  /** Whether a value was a JSON string, array or object; whether every value was JSON. */
  structured: boolean
  allJson: boolean
  fault: string | null
}

function groupsOf(text: string): string[][] {
  const groups: string[][] = []
  let open = false
  for (const line of linesOf(text)) {
    const blank = line.trim() === ''
    if (!blank && open) groups.at(-1)?.push(line)
    else if (!blank) groups.push([line])
    open = !blank
  }
  return groups
}

function readRecord(lines: readonly string[]): KeyValueRecord {
  const record: KeyValueRecord = { fields: new Map(), structured: false, allJson: true, fault: null }
  for (const line of lines) {
    const fault = readField(line, record)
    record.fault ??= fault
  }
  return record
}

/** Adds the field of a line to the record; returns what is wrong with it. */
function readField(line: string, record: KeyValueRecord): string | null {
  const colon = fieldEnd(line)
  const name = line.slice(0, Math.max(colon, 0)).trim()
  if (name === '') {
    record.allJson = false
    return `the line is no \`field: value\`: ${excerpt(line, 60)}`
  }
  const value = readValue(line.slice(colon + 1).trim())
  if (value.looks === 'structured') record.structured = true
  if (value.looks === 'text') record.allJson = false
  if (record.fields.has(name)) {
    return `the field ${excerpt(name, 60)} comes twice; records need a blank line between them`
  }
  record.fields.set(name, value.value)
  return value.fault
}

/** Offset of the colon that ends the name: the first with a blank or the line end behind it; -1 when there is none. */
function fieldEnd(line: string): number {
  return /:(?=\s|$)/.exec(line)?.index ?? -1
}

interface FieldValue {
  value: Exact
  looks: 'structured' | 'scalar' | 'text'
  fault: string | null
}

function readValue(text: string): FieldValue {
  if (text === '') return { value: null, looks: 'text', fault: null }
  const structured = /^["[{]/.test(text)
  if (!structured && !/^[-\dtfn]/.test(text)) return { value: text, looks: 'text', fault: null }
  try {
    return { value: parseExact(text), looks: structured ? 'structured' : 'scalar', fault: null }
  } catch (error) {
    if (!(error instanceof RunError)) throw error
    if (structured) return { value: null, looks: 'structured', fault: error.message }
    return { value: text, looks: 'text', fault: null }
  }
}

function isRecord(
  { fields, structured, allJson }: KeyValueRecord,
  lines: number,
  sources: readonly string[],
): boolean {
  if (lines > 1 && (structured || allJson)) return true
  return [...fields.keys()].some((name) => isWanted(name, sources))
}

function everyRecordBad(first: RowReject, count: number): RunError {
  return new RunError(
    'PARSE_FAILED',
    `key_value: no record can be read (${count} records); record ${first.row}: ${first.reason}`,
    { hint: 'if the tool sends one content block per record, set content.blocks: each' },
  )
}

function noRecord(text: string): RunError {
  return new RunError(
    'PARSE_FAILED',
    `key_value: could not find a record; the text starts ${excerpt(text)}`,
    {
      hint: 'a record is lines such as `host: "web-1"`, with a blank line between records; empty_when says what other texts mean',
    },
  )
}
