import { type Json, jsonSchema, type Masker } from '@huntfleet/contract'
import type { Logger } from '@huntfleet/engine'
import { pino } from 'pino'

/** JSON lines on stdout. Message and fields are masked before they become JSON, so that no line is broken by a mask. */
export function workerLogger(masker: Masker, level: string): Logger {
  const log = pino({
    name: 'huntfleet',
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
  })
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      if (log.isLevelEnabled(level)) log[level](maskedFields(fields, masker), masker.mask(message))
    }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

/** Fields as JSON has them: an error among them is its words. */
function maskedFields(fields: Record<string, unknown>, masker: Masker): Record<string, Json> {
  const plain = Object.entries(fields).map(([name, value]): [string, Json] => {
    const json = jsonSchema.parse(
      value instanceof Error ? value.message : JSON.parse(JSON.stringify(value ?? null)),
    )
    return [name, masker.maskJson(json)]
  })
  return Object.fromEntries(plain)
}
