import { documentSchema, documentSchemaNames } from '@huntfleet/contract'
import { vocabulary } from '@huntfleet/engine'
import { expect, it } from 'vitest'
import { huntfleet, projectFolder } from '../command-line.ts'

it.each(documentSchemaNames)('huntfleet schema %s prints a JSON Schema', async (name) => {
  const { code, stdout, stderr } = await huntfleet(await projectFolder(), 'schema', name)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(documentSchema(name, vocabulary))))
})

it('huntfleet schema knows the adapters of the project', async () => {
  const files = { 'huntfleet.yaml': 'adapters: {my_tool: ./a.ts}\n' }
  const { stdout } = await huntfleet(await projectFolder({ files }), 'schema', 'binding')
  expect(stdout).toContain('"my_tool"')
})
