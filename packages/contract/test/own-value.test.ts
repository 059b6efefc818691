import { expect, it } from 'vitest'
import { ownValue } from '../src/own-value.ts'

it('finds own keys only, whatever they are called', () => {
  const record: Record<string, number> = { a: 1, ['constructor']: 2 }
  expect(ownValue(record, 'a')).toBe(1)
  expect(ownValue(record, 'constructor')).toBe(2)
  expect(ownValue(record, 'toString')).toBeUndefined()
  expect(ownValue(record, '__proto__')).toBeUndefined()
  expect(ownValue(undefined, 'a')).toBeUndefined()
})
