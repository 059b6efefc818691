import type { ColumnSpec } from '@huntfleet/contract'

/** A column named `c` of a type, with nothing special about it unless said. */
export function columnSpec(type: string, options: Partial<ColumnSpec> = {}): ColumnSpec {
  return {
    name: 'c',
    type,
    required: false,
    format: null,
    timezone: null,
    round: 'reject',
    sensitive: 'none',
    ...options,
  }
}
