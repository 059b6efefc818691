import { describe, expect, it } from 'vitest'
import type { ParamSpec } from '../src/param-spec.ts'
import { unfilteredStrings } from '../src/unfiltered-strings.ts'

const spec = (name: string, more: Partial<ParamSpec> = {}): ParamSpec => ({
  name,
  type: 'str',
  required: false,
  description: '',
  ...more,
})
const specs = [
  spec('who'),
  spec('level', { enum: ['low', 'high'] }),
  spec('n', { type: 'int' }),
  spec('since', { type: 'timestamp' }),
]

describe('unfilteredStrings', () => {
  it.each([
    ["user='{{ who }}'", ['{{ who }}']],
    ['user=\'{{ who | default("x") }}\' or {{who}}', ['{{ who | default("x") }}', '{{who}}']],
    ["user='{{ who | sql }}'", []],
    ['{{ who | default("x") | spl }}', []],
    ['{{ n }} {{ since }} {{ level }} {{ run.id }} {{ page.offset }}', []],
    ['no placeholder', []],
    ['{{ who', []],
  ])('finds in %j what nothing quotes', (template, found) => {
    expect(unfilteredStrings(template, specs)).toEqual(found)
  })
})
