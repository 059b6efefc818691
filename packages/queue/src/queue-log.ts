/** Where the queue reports what no caller waits for: lost locks, hand-backs, connection trouble. */
export interface QueueLog {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

/** For callers who have nowhere to log to. */
export const silentLog: QueueLog = { debug() {}, info() {}, warn() {}, error() {} }
