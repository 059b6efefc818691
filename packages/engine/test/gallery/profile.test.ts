import { readFileSync } from 'node:fs'
import { parseYamlFile, projectSchema, withAdapters } from '@huntfleet/contract'
import { describe, expect, it } from 'vitest'
import { isRecord } from '../../src/mcp/wire-message.ts'
import { vocabulary } from '../../src/registry.ts'
import { bindingsFolder, compileTables, exampleAdapters, readProduct, specOf } from './product.ts'

const read = (name: string) => readFileSync(new URL(name, bindingsFolder), 'utf8')
const words = withAdapters(vocabulary, { adapters: exampleAdapters })
const { value } = parseYamlFile('huntfleet.yaml', read('huntfleet.yaml'), 'PROJECT_INVALID')
const project = projectSchema(words).parse(value)

/** The server's entry as it is written. */
const server = (name: string): Record<string, unknown> => {
  const entry = ['mcp_servers', name].reduce<unknown>(
    (at, key) => (isRecord(at) ? at[key] : undefined),
    value,
  )
  return isRecord(entry) ? entry : {}
}

describe('a product as a profile of the project file', () => {
  it('leaves two lines for the binding, which fetch as the long one does', () => {
    const short = /```yaml\n(source_bindings:[^`]*)```/.exec(read('README.md'))?.[1] ?? ''
    expect(short.trimEnd().split('\n')).toHaveLength(4)
    // The other table of the contract is bound as always.
    const rest = read('okta.yaml').split('\n\n')[1] ?? ''
    const { strategy, findings } = readProduct('okta', `${short}\n${rest}`, server('okta'))
    expect(findings).toEqual([])
    if (strategy === undefined) throw new Error('no strategy')
    const [logs] = compileTables(strategy).specs
    const long = specOf('okta.logs')
    expect(logs?.fetches).toEqual(long.fetches.map((fetch) => ({ ...fetch, timeoutMs: 60_000 })))
  })

  it('names the adapters that the gallery needs', () => {
    expect(project.adapters).toEqual(exampleAdapters)
  })
})
