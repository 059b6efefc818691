import {
  columnTypeName,
  type Finding,
  findingAt,
  parseColumnType,
  RunError,
  type Strategy,
} from '@huntfleet/contract'
import { protectedCoercer } from '@huntfleet/engine'

/** Formats and time zones of columns, which only the engine's coercion can judge. */
export function checkColumns(strategy: Strategy): Finding[] {
  const { contract } = strategy.source
  const findings: Finding[] = []
  for (const [table, { columns }] of Object.entries(strategy.contract.requires.tables)) {
    for (const [name, column] of Object.entries(columns)) {
      const type = parseColumnType(column.type)
      if (type === undefined) continue
      try {
        protectedCoercer({
          name,
          type: columnTypeName(type),
          required: column.required,
          format: column.format ?? null,
          timezone: column.timezone ?? null,
          round: column.round ?? 'reject',
          sensitive: column.sensitive ?? 'none',
        })
      } catch (error) {
        if (!(error instanceof RunError)) throw error
        const path = ['requires', 'tables', table, 'columns', name]
        findings.push(
          findingAt(contract, 'error', 'CONTRACT_INVALID', path, `${path.join('.')}: ${error.message}`),
        )
      }
    }
  }
  return findings
}
