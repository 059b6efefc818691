import type { JsonObject } from '@huntfleet/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { argumentMisfits } from '../src/argument-fit.ts'

const schema = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    level: { enum: ['low', 'high'] },
    query: { type: 'string' },
    after: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    tags: { type: 'array' },
    window: { type: 'object', properties: { start: { type: 'string' } }, required: ['start'] },
  },
  required: ['query'],
  additionalProperties: false,
}

describe('argumentMisfits', () => {
  test.each<[string, JsonObject, string[]]>([
    ['what fits', { query: 'q', limit: 5, level: 'low', after: null, tags: [], window: { start: 's' } }, []],
    ['a missing argument', {}, ['query is missing']],
    ['a wrong type', { query: 5 }, ['query must be string, not number']],
    ['a fraction for an integer', { query: 'q', limit: 1.5 }, ['limit must be integer, not number']],
    ['too small a number', { query: 'q', limit: 0 }, ['limit must be at least 1']],
    ['too large a number', { query: 'q', limit: 101 }, ['limit must be at most 100']],
    ['a value outside the enum', { query: 'q', level: 'mid' }, ['level must be one of "low", "high"']],
    ['none of several types', { query: 'q', after: 1 }, ['after must be string or null, not number']],
    ['an object for a list', { query: 'q', tags: {} }, ['tags must be array, not object']],
    ['a nested argument', { query: 'q', window: {} }, ['window.start is missing']],
    [
      'an argument that is not declared',
      { query: 'q', form: 1 },
      ['form is not declared; declared are limit, level, query, after, tags, window'],
    ],
  ])('%s', (_, args, misfits) => {
    expect(argumentMisfits(schema, args)).toEqual(misfits)
  })

  test('says nothing about schemas that it does not understand, and never fails', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (strange) => {
        expect(Array.isArray(argumentMisfits(strange, { a: 1 }))).toBe(true)
      }),
    )
    expect(
      argumentMisfits(
        { properties: { a: { pattern: '(a+)+$', type: 'string' } } },
        { a: `${'a'.repeat(50)}!` },
      ),
    ).toEqual([])
  })
})
