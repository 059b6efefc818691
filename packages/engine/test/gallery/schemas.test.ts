import { readFileSync } from 'node:fs'
import { documentSchema, withAdapters } from '@huntfleet/contract'
import { describe, expect, it } from 'vitest'
import { vocabulary } from '../../src/registry.ts'
import { exampleAdapters } from './product.ts'

const schemasFolder = new URL('../../../../schemas/', import.meta.url)
const words = withAdapters(vocabulary, { adapters: exampleAdapters })

describe('the schemas for editors', () => {
  it.each(['contract', 'binding', 'project'] as const)(
    'are those that `huntfleet schema %s` prints',
    (name) => {
      const text = readFileSync(new URL(`${name}.schema.json`, schemasFolder), 'utf8')
      const remedy = `huntfleet schema ${name} --config examples/bindings/huntfleet.yaml > schemas/${name}.schema.json`
      expect(JSON.parse(text), `out of date; run: ${remedy}`).toEqual(documentSchema(name, words))
    },
  )
})
