import {
  columnTypeName,
  type Finding,
  findingAt,
  type ProjectText,
  parseColumnType,
  RunError,
  type Strategy,
} from '@huntfleet/contract'
import { parquetjsType, protectedCoercer } from '@huntfleet/engine'

/** What only the engine can judge of columns: their formats and time zones, and whether its Parquet writer takes them. */
export function checkColumns(
  strategy: Strategy,
  { parquet_engine: engine }: Pick<ProjectText['storage'], 'parquet_engine'>,
): Finding[] {
  const { contract } = strategy.source
  const findings: Finding[] = []
  for (const [table, { columns }] of Object.entries(strategy.contract.requires.tables)) {
    for (const [name, column] of Object.entries(columns)) {
      const type = parseColumnType(column.type)
      if (type === undefined) continue
      try {
        const spec = {
          name,
          type: columnTypeName(type),
          required: column.required,
          format: column.format ?? null,
          timezone: column.timezone ?? null,
          round: column.round ?? 'reject',
          sensitive: column.sensitive ?? 'none',
        } as const
        protectedCoercer(spec)
        if (engine === 'parquetjs-lite') parquetjsType(spec)
      } catch (error) {
        if (!(error instanceof RunError)) throw error
        const path = ['requires', 'tables', table, 'columns', name]
        findings.push(findingAt(contract, 'error', error.code, path, `${path.join('.')}: ${error.message}`))
      }
    }
  }
  return findings
}
