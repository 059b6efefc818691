export * from './check-tool.ts'
export type { CellValue } from './coerce/cell-value.ts'
export { openAdapters } from './custom-adapters/open-adapters.ts'
export type { FormatContext, ParsedText, ResponseAdapter } from './format.ts'
export { toPlain } from './json/to-plain.ts'
export * from './local-run-budget.ts'
export { fieldsOf } from './mapping.ts'
export type { CallLimits } from './mcp/rate-limiter.ts'
export * from './open-sources.ts'
export { parquetjsType } from './parquet/parquetjs-fence.ts'
export type {
  CallOptions,
  Clock,
  Logger,
  McpSession,
  SessionLease,
  SessionSource,
  ToolInfo,
  ToolResult,
} from './ports.ts'
export * from './preview-table.ts'
export { type ReadRecording, readRecording } from './recording/read-recording.ts'
export { createRecording, type Recording } from './recording/recording-writer.ts'
export { replaySource } from './recording/replay-source.ts'
export * from './registry.ts'
export * from './run-table.ts'
export { protectedCoercer } from './sensitive.ts'
export type { FieldMapping, RowReject, SourceRow } from './source-row.ts'
export { storageCheckpoint } from './storage-checkpoint.ts'
export * from './system-clock.ts'
export * from './table-ports.ts'
export { defaultThreads } from './threads/pipeline-threads.ts'
export { argumentBuilder } from './tool-arguments.ts'
