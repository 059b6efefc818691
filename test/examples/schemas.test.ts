import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseYamlFile } from '@huntfleet/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'

const files = globSync('examples/**/*.yaml')
const schemaLine = /^# yaml-language-server: \$schema=(\S+)\n/

describe('the YAML files of the examples', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })

  test('are found', () => {
    expect(files.length).toBeGreaterThan(40)
  })

  test.each(files)('%s names its schema for editors, and fits it', (file) => {
    const text = readFileSync(file, 'utf8')
    const schema = resolve(dirname(file), schemaLine.exec(text)?.[1] ?? '')
    expect(schema).toMatch(/schemas\/(?:contract|binding|project)\.schema\.json$/)
    expect(existsSync(schema)).toBe(true)
    const validate = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')))
    const document = parseYamlFile(file, text, 'USAGE_INVALID').value
    expect(validate(document), ajv.errorsText(validate.errors)).toBe(true)
  })
})
