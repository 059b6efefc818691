import { describe, expect, it } from 'vitest'
import { type DocumentSchemaName, documentSchema, documentSchemaNames } from '../src/document-schema.ts'
import { vocabulary } from './read-documents.ts'

type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node => value !== null && typeof value === 'object'

/** A schema and what its `$ref` leads to, step by step. */
function chain(root: Node, node: Node): Node[] {
  const name = typeof node['$ref'] === 'string' ? node['$ref'].split('/').at(-1) : undefined
  const definitions = root['$defs']
  const next = name !== undefined && isNode(definitions) ? definitions[name] : undefined
  return isNode(next) ? [node, ...chain(root, next)] : [node]
}
const target = (root: Node, node: Node): Node => chain(root, node).at(-1) ?? node

/** Every property of a schema, with the place of its object. */
function propertiesOf(name: DocumentSchemaName): { key: string; node: Node; root: Node }[] {
  const root: Node = documentSchema(name, vocabulary)
  const found: { key: string; node: Node; root: Node }[] = []
  const visit = (node: unknown): void => {
    if (!isNode(node)) return
    const properties = Array.isArray(node) ? undefined : node['properties']
    if (isNode(properties)) {
      for (const [key, property] of Object.entries(properties))
        if (isNode(property)) found.push({ key, node: property, root })
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(root)
  return found
}

describe('the JSON Schema', () => {
  it.each(documentSchemaNames)('of a %s has a title and properties', (name) => {
    expect(documentSchema(name, vocabulary)).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      title: expect.any(String),
    })
    expect(propertiesOf(name).length).toBeGreaterThan(5)
  })

  it.each(['contract', 'binding', 'project'] as const)('of a %s says what every key means', (name) => {
    const silent = propertiesOf(name)
      .filter(({ node, root }) => chain(root, node).every((link) => link['description'] === undefined))
      .map(({ key }) => key)
    expect(silent).toEqual([])
  })

  it.each<[DocumentSchemaName, string[]]>([
    ['contract', ['name', 'description', 'tags']],
    ['binding', []],
    ['project', []],
  ])('of a %s demands what its author must write: %j', (name, required) => {
    expect(documentSchema(name, vocabulary)['required'] ?? []).toEqual(required)
  })

  it.each(['contract', 'binding', 'project'] as const)(
    'of a %s knows no other keys, so that editors see typos',
    (name) => {
      expect(documentSchema(name, vocabulary)['additionalProperties']).toBe(false)
    },
  )

  it('offers the words of the installation', () => {
    const words = { formats: ['json', 'my_format'], adapters: ['my_adapter'] } as const
    const text = JSON.stringify(documentSchema('binding', words))
    expect(text).toContain('"enum":["json","my_format"]')
    expect(text).toContain('"enum":["my_adapter"]')
  })

  it('takes columns as objects or as their type alone', () => {
    const column = propertiesOf('contract').find(({ key }) => key === 'columns')
    if (column === undefined) throw new Error('there are no columns')
    const values = target(column.root, column.node)['additionalProperties']
    const branches = isNode(values) ? target(column.root, values)['anyOf'] : undefined
    const kinds = Array.isArray(branches)
      ? branches.map((branch: Node) => target(column.root, branch)['type'])
      : []
    expect(kinds).toEqual(['object', 'string', 'null'])
  })
})
