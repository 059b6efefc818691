import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { RunError } from '@huntfleet/contract'
import { type ExactObject, isExactObject } from '../json/exact.ts'
import { parseExact } from '../json/parse-exact.ts'
import { callKey, plainArgs } from './call-key.ts'
import {
  type RecordingHeader,
  type RecordingLine,
  recordingHeaderSchema,
  recordingLineSchema,
} from './recording-line.ts'

export interface RecordedLine {
  line: RecordingLine
  /** The same with every digit. */
  exact: ExactObject
}

/** A recording, read and ordered; its answers are parsed when they are asked for. */
export interface ReadRecording {
  readonly file: string
  readonly header: RecordingHeader
  /** The lines of one kind of call, in their order. */
  lines(key: string): readonly string[]
  parse(line: string): RecordedLine
}

/** Reads a recording. Throws USAGE_INVALID with the line that is none. */
export async function readRecording(file: string): Promise<ReadRecording> {
  const refused = (message: string, line?: number, cause?: unknown) =>
    new RunError(
      'USAGE_INVALID',
      `the recording ${file} ${message}`,
      { file, ...(line !== undefined && { line }), hint: 'give --replay a file that --save has written' },
      cause,
    )
  const index = new Map<string, string[]>()
  let header: RecordingHeader | undefined
  let number = 0
  const input = createReadStream(file, 'utf8')
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1
      if (text.trim() === '') continue
      if (header === undefined) {
        header = recordingHeaderSchema.parse(JSON.parse(text))
        continue
      }
      const key = keyOf(recordingLineSchema.parse(JSON.parse(text)))
      const lines = index.get(key)
      if (lines === undefined) index.set(key, [text])
      else lines.push(text)
    }
  } catch (error) {
    if (number === 0)
      throw refused(`cannot be read: ${error instanceof Error ? error.message : error}`, undefined, error)
    throw refused(
      number === 1 ? 'does not begin as one of version 1' : 'has a line that is none',
      number,
      error,
    )
  } finally {
    input.destroy()
  }
  if (header === undefined) throw refused('is empty')
  return {
    file,
    header,
    lines: (key) => index.get(key) ?? [],
    parse(text) {
      const exact = parseExact(text)
      if (!isExactObject(exact)) throw refused('has a line that is none')
      return { line: recordingLineSchema.parse(JSON.parse(text)), exact }
    },
  }
}

function keyOf(line: RecordingLine): string {
  const { kind, table, server } = line
  if (kind === 'call') return callKey(kind, table, server, line.tool, plainArgs(line.args))
  return kind === 'resource' ? callKey(kind, table, server, line.uri) : callKey(kind, table, server)
}
