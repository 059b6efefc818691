export type { FormatContext, ParsedText, ResponseAdapter } from './format.ts'
export * from './open-sources.ts'
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
export * from './registry.ts'
export * from './run-table.ts'
export type { FieldMapping, RowReject, SourceRow } from './source-row.ts'
export * from './system-clock.ts'
export * from './table-ports.ts'
