export * from './check-tool.ts'
export type { CellValue } from './coerce/cell-value.ts'
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
export * from './preview-table.ts'
export * from './registry.ts'
export * from './run-table.ts'
export { protectedCoercer } from './sensitive.ts'
export type { FieldMapping, RowReject, SourceRow } from './source-row.ts'
export * from './system-clock.ts'
export * from './table-ports.ts'
export { argumentBuilder } from './tool-arguments.ts'
