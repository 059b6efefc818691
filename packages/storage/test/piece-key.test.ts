import { expect, it } from 'vitest'
import { validateLayout } from '../src/layout.ts'
import { pieceKey } from '../src/piece-key.ts'

it('puts pieces where no layout can lead, in the order of their numbers', () => {
  expect(pieceKey('table=a/run=1', 'k3x9q1zz', 7)).toBe('_parts/table=a/run=1/k3x9q1zz-00007.part')
  expect(validateLayout('_parts/{table}/{run_id}')).toMatch(/must not begin with/)
})
