import type { Masker } from '@huntfleet/contract'
import type { Logger } from '@huntfleet/engine'
import { pino } from 'pino'

/** JSON lines on stdout; every line passes the masker, so that a secret is hidden whatever field it is in. */
export function workerLogger(masker: Masker, level: string): Logger {
  const log = pino({
    name: 'huntfleet',
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { streamWrite: (line) => masker.mask(line) },
  })
  return {
    debug: (message, fields = {}) => log.debug(fields, message),
    info: (message, fields = {}) => log.info(fields, message),
    warn: (message, fields = {}) => log.warn(fields, message),
    error: (message, fields = {}) => log.error(fields, message),
  }
}
