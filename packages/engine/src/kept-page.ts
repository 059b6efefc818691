import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { type PageEntry, pageEntrySchema } from '@huntfleet/contract'
import { z } from 'zod'
import { compactJson } from './json/compact.ts'
import { type ExactObject, isExactObject } from './json/exact.ts'
import { parseExact } from './json/parse-exact.ts'
import { toExact } from './json/to-exact.ts'
import type { ToolResult } from './ports.ts'
import { recordedResult } from './recording/recorded-result.ts'
import { recordedResultSchema } from './recording/recording-line.ts'

/** More than any answer that is accepted; what unpacks to more was not packed here. */
const largest = 512 * 1024 * 1024

/** Of JSON, level 1 leaves as little as the default of 3, in two thirds of the time (measured). */
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

const headSchema = z.strictObject({
  entry: pageEntrySchema,
  firstPage: z.boolean(),
  /** The header row of an earlier page of the fetch. */
  header: z.array(z.string()).readonly().nullable(),
  /** Texts of the resources that the answer links to, when the binding follows links. */
  links: z.array(z.string()).readonly(),
})
const keptSchema = z.object({ head: headSchema, result: recordedResultSchema })

/** A page as it was received, with what is needed to read it again. */
export interface KeptPage extends z.infer<typeof headSchema> {
  entry: PageEntry
  result: ToolResult
}

/**
 * The page as zstd of one JSON document, its answer as in a recording. Nothing of it is masked or changed: the same
 * rows must come out of it.
 */
export async function packPage({ result, entry, firstPage, header, links }: KeptPage): Promise<Uint8Array> {
  const { content, structuredContent, meta, isError, bytes } = result
  const parts = [
    `{"head":${JSON.stringify({ entry, firstPage, header, links })}`,
    // Not by way of `Exact`, which would replace lone surrogates.
    `,"result":{"content":${JSON.stringify(content)},"isError":${isError},"bytes":${bytes}`,
    structuredContent === undefined ? '' : `,"structuredContent":${compactJson(toExact(structuredContent))}`,
    meta === undefined ? '' : `,"_meta":${compactJson(toExact(meta))}`,
    '}}',
  ]
  return await compress(Buffer.from(parts.join('')), fast)
}

/** The page that `packPage` packed. Throws what is wrong with bytes that it did not pack. */
export async function unpackPage(bytes: Uint8Array): Promise<KeptPage> {
  const text = (await decompress(bytes, { maxOutputLength: largest })).toString()
  const { head, result } = keptSchema.parse(JSON.parse(text))
  return { ...head, result: recordedResult(result, exactResult(text)) }
}

/** The answer with every digit; null when all of it is text. */
function exactResult(text: string): ExactObject | null {
  if (!/"(?:structuredContent|_meta)":/.test(text)) return null
  const document = parseExact(text)
  const result = isExactObject(document) ? document.get('result') : undefined
  return isExactObject(result) ? result : null
}
