import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { RunError, type TableSpec } from '@huntfleet/contract'
import { compactJson } from '../json/compact.ts'
import { toExact } from '../json/to-exact.ts'
import type { SessionSource } from '../ports.ts'
import { type RecordingHeader, recordingVersion } from './recording-line.ts'
import { recordingSource } from './recording-source.ts'
import { scrubber } from './scrubber.ts'

export interface CreateRecordingOptions {
  /** Replaced when it exists. */
  file: string
  header: Omit<RecordingHeader, 'recording' | 'at'>
  runId: string
  /** Replaces every value by a fake; tables with sensitive columns are always recorded that way. */
  scrub: boolean
  mask(text: string): string
}

/** A recording that is being written. */
export interface Recording {
  /** The sessions of a table, with everything that goes through them written down. */
  sessions(inner: SessionSource, spec: TableSpec): SessionSource
  close(): Promise<void>
}

/**
 * Begins a recording: one JSON document per line, readable by its owner only. Throws SINK_DENIED when the file cannot
 * be written, then and from every call that cannot be written down.
 */
export async function createRecording(options: CreateRecordingOptions): Promise<Recording> {
  const { file, header, runId, scrub, mask } = options
  const failed = (error: unknown) =>
    new RunError(
      'SINK_DENIED',
      `the recording ${file} cannot be written: ${error instanceof Error ? error.message : error}`,
      { file, hint: 'give --save a file in a folder that you may write to' },
      error,
    )
  const handle = await open(file, 'w', 0o600).catch((error: unknown) => {
    throw failed(error)
  })
  // One key per recording, forgotten with it: nobody can turn a fake back.
  const key = randomBytes(32)
  let tail: Promise<void> = Promise.resolve()
  const write = (line: Record<string, unknown>): Promise<void> => {
    const text = `${compactJson(toExact(line))}\n`
    tail = tail.then(async () => {
      await handle.appendFile(text).catch((error: unknown) => {
        throw failed(error)
      })
    })
    return tail
  }
  // The mode of `open` is for new files only.
  await handle.chmod(0o600)
  await write({ recording: recordingVersion, ...header, at: new Date().toISOString() })
  return {
    sessions(inner, spec) {
      const isSensitive = spec.columns.some((column) => column.sensitive !== 'none')
      const scrubbing = scrub || isSensitive ? scrubber(spec, key) : null
      return recordingSource(inner, { table: spec.table, runId, mask, scrubber: scrubbing, write })
    },
    async close() {
      await tail.catch(() => {})
      await handle.close()
    },
  }
}
