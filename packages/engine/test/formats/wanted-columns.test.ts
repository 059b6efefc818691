import { describe, expect, test } from 'vitest'
import { countWanted, requireWanted } from '../../src/formats/wanted-columns.ts'
import { contextOf } from './format-context.ts'

describe('countWanted', () => {
  test.each([
    [['host', 'n'], ['host'], 1],
    [['host'], ['host.name'], 1],
    [['host.name'], ['host.name'], 1],
    [['tags'], ['tags[0]'], 1],
    [['ho', 'hosts'], ['host'], 0],
    [['ip'], ['src.ip | ip'], 1],
    [['value'], ['value "x"'], 0],
  ])('counts in %j for the sources %j', (names, sources, count) => {
    expect(countWanted(names, contextOf(sources).fields)).toBe(count)
  })
})

describe('requireWanted', () => {
  test('names what is wanted and what there is, at most twenty of each', () => {
    const names = Array.from({ length: 25 }, (_, index) => `n${index}`)
    expect(() => requireWanted('csv', names, contextOf(['id']).fields)).toThrow(
      /csv: .* wanted "id"; .*"n19" and 5 more/,
    )
  })

  test.each([[[]], [['$']], [['value 1']], [['["a b"].c']], [['id', 'x']]])(
    'accepts the sources %j',
    (sources) => {
      expect(() => requireWanted('csv', ['id'], contextOf(sources).fields)).not.toThrow()
    },
  )
})
