import fc from 'fast-check'
import { expect, test } from 'vitest'
import { uniqueNames } from '../../src/formats/unique-names.ts'

test('gives every column a name of its own and leaves the first of a name alone', () => {
  const cell = fc.constantFrom('a', ' a', 'a_2', 'a_3', 'a_2_2', '', 'column_1', 'column_2', 'b')
  fc.assert(
    fc.property(fc.array(cell), (cells) => {
      const names = uniqueNames(cells)
      expect(new Set(names).size).toBe(cells.length)
      const spelled = cells.map((text) => text.trim())
      for (const [index, name] of spelled.entries()) {
        if (name !== '' && spelled.indexOf(name) === index && !names.slice(0, index).includes(name)) {
          expect(names[index]).toBe(name)
        }
      }
    }),
  )
})
