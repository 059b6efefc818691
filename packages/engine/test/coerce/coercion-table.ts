import type { ColumnSpec } from '@huntfleet/contract'
import { expect, test } from 'vitest'
import type { CellValue } from '../../src/coerce/cell-value.ts'
import { compileCoercer } from '../../src/coerce/coercer.ts'
import { Rejection } from '../../src/coerce/rejection.ts'
import type { Exact } from '../../src/json/exact.ts'
import { parseExact } from '../../src/json/parse-exact.ts'
import { columnSpec } from './column-spec.ts'

/** A rule: the JSON text that a source sends, and the cell or a part of the reason why it is rejected. */
export type Rule = readonly [json: string, expected: CellValue | { rejected: string }]

export function rejected(reason = ''): { rejected: string } {
  return { rejected: reason }
}

/** The cell of a value; a rejection as its reasons. */
export function coerced(column: ColumnSpec, value: Exact | undefined): CellValue | { rejected: string } {
  const cell = compileCoercer(column)(value)
  return cell instanceof Rejection ? { rejected: cell.reasons.join('; ') } : cell
}

/** One test per rule; the values go through the parser that the worker uses, so that their spelling is the source's. */
export function testRules(type: string, rules: readonly Rule[], options: Partial<ColumnSpec> = {}): void {
  const column = columnSpec(type, options)
  const settings = Object.keys(options).length === 0 ? '' : ` ${JSON.stringify(options)}`
  for (const [json, expected] of rules) {
    test(`${type}${settings}: ${json} → ${show(expected)}`, () => {
      const actual = coerced(column, parseExact(json))
      if (isRejected(expected))
        expect(actual).toEqual({ rejected: expect.stringContaining(expected.rejected) })
      else if (expected instanceof Uint8Array || Array.isArray(expected)) expect(actual).toEqual(expected)
      else expect(actual).toBe(expected)
    })
  }
}

function isRejected(expected: Rule[1]): expected is { rejected: string } {
  return expected !== null && typeof expected === 'object' && 'rejected' in expected
}

function show(expected: Rule[1]): string {
  if (isRejected(expected)) return `reject (${expected.rejected})`
  if (typeof expected === 'string') return JSON.stringify(expected)
  return Object.is(expected, -0) ? '-0' : String(expected)
}
