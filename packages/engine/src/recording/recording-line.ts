import { errorDocumentSchema } from '@huntfleet/contract'
import { z } from 'zod'

/** The lines of a recording, format version 1; `docs/recordings.md` describes them. Times are ISO 8601 UTC. */

export const recordingVersion = 1

const window = z.object({ start: z.string().nullable(), end: z.string().nullable() })

/** The first line: what the run was, so that a replay asks for the same. */
export const recordingHeaderSchema = z.object({
  recording: z.literal(recordingVersion),
  strategy: z.string(),
  scheduled_at: z.string(),
  window,
  at: z.string(),
})
export type RecordingHeader = z.infer<typeof recordingHeaderSchema>

const common = { table: z.string(), server: z.string(), ms: z.number(), at: z.string() }
const error = errorDocumentSchema.optional()

/** A session was opened or taken from the pool; `error` when there was none to be had. */
const openLine = z.object({
  kind: z.literal('open'),
  ...common,
  server_info: z.object({ name: z.string(), version: z.string() }).nullable(),
  error,
})

const toolsLine = z.object({
  kind: z.literal('tools'),
  ...common,
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      inputSchema: z.record(z.string(), z.unknown()),
      readOnly: z.boolean().nullable(),
    }),
  ),
  error,
})

/** An answer. `structuredContent` and `_meta` are read apart from this, with every digit. */
export const recordedResultSchema = z.object({
  content: z.array(
    z.object({
      type: z.string(),
      text: z.string().optional(),
      uri: z.string().optional(),
      mimeType: z.string().optional(),
    }),
  ),
  isError: z.boolean(),
  bytes: z.number(),
})
export type RecordedResult = z.infer<typeof recordedResultSchema>

const callLine = z.object({
  kind: z.literal('call'),
  ...common,
  tool: z.string(),
  /** With `{{run.id}}` in place of the run's id, secrets masked. */
  args: z.record(z.string(), z.unknown()),
  scrubbed: z.boolean(),
  result: recordedResultSchema.optional(),
  error,
})

const resourceLine = z.object({
  kind: z.literal('resource'),
  ...common,
  uri: z.string(),
  text: z.string().optional(),
  error,
})

/** `structuredContent` and `_meta` of a result are read apart from this, with every digit. */
export const recordingLineSchema = z.discriminatedUnion('kind', [openLine, toolsLine, callLine, resourceLine])
export type RecordingLine = z.infer<typeof recordingLineSchema>
