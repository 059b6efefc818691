import { RunError } from '@huntfleet/contract'
import type { TextParser } from '../answer-vocabulary.ts'
import type { ParsedText } from '../format.ts'
import { isExactArray, isExactObject } from '../json/exact.ts'
import { parseExact } from '../json/parse-exact.ts'
import { isMessage } from '../parse-text-answer.ts'
import type { SourceRow } from '../source-row.ts'
import type { AdapterHost } from './adapter-host.ts'
import type { AdapterRows } from './adapter-rows.ts'

/** The default of a binding's `timeout`. */
const defaultTimeoutMs = 30_000

/** A user's adapter as a parser like any other. A blank text has no rows and never reaches it. */
export function customAdapter(host: AdapterHost): TextParser {
  return async (text, { fields, deadline }) => {
    const limit = deadline ?? { timeoutMs: defaultTimeoutMs, signal: new AbortController().signal }
    const called = await host.call({ text, fields: fields.map((field) => ({ ...field })) }, limit)
    return parsedText(text, called)
  }
}

function parsedText(text: string, { json, rejects }: AdapterRows): ParsedText {
  const values = parseExact(json)
  const rows = isExactArray(values) ? values.filter((value): value is SourceRow => isExactObject(value)) : []
  // The thread is the user's too: what it says is checked, not believed.
  if (!isExactArray(values) || rows.length !== values.length) {
    throw new RunError('PARSE_FAILED', 'the thread of an adapter sent something else than rows')
  }
  const isProse = rows.length === 0 && rejects.length === 0 && isMessage(text)
  return {
    rows,
    rejects,
    items: rows.length + rejects.length,
    envelope: undefined,
    // Which part of a text are its rows, only the adapter knows; a short text without any is words.
    remainder: isProse ? text : '',
    cursorText: text,
    notes: [],
    truncation: null,
  }
}
