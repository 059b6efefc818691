import { cpuTime } from '@huntfleet/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TemplateFilter } from '../src/placeholder.ts'
import { parseTemplate } from '../src/template.ts'

const placeholder = (source: string, name: string, ...filters: TemplateFilter[]) => ({
  name,
  filters,
  source,
})

function partsOf(text: string) {
  const parsed = parseTemplate(text)
  return parsed.ok ? parsed.parts : parsed.message
}

describe('parseTemplate', () => {
  it.each([
    ['{{a}}', [placeholder('{{a}}', 'a')]],
    ['{{ a }}', [placeholder('{{ a }}', 'a')]],
    ['x-{{ log_source }}-*', ['x-', placeholder('{{ log_source }}', 'log_source'), '-*']],
    ['{{a}}{{b}}', [placeholder('{{a}}', 'a'), placeholder('{{b}}', 'b')]],
    ['{{ page.offset }}', [placeholder('{{ page.offset }}', 'page.offset')]],
    ['{{ secret.API-KEY_1 }}', [placeholder('{{ secret.API-KEY_1 }}', 'secret.API-KEY_1')]],
    ['{{ größe }}', [placeholder('{{ größe }}', 'größe')]],
    ['{{a|json}}', [placeholder('{{a|json}}', 'a', { name: 'json', args: [] })]],
    ['{{ a | f() }}', [placeholder('{{ a | f() }}', 'a', { name: 'f', args: [] })]],
  ])('takes %j apart', (text, parts) => {
    expect(partsOf(text)).toEqual(parts)
  })

  it('reads arguments of filters', () => {
    const source = String.raw`{{ a | f("x\"y}}", 'it''s', 5, -1.5) | g('\n\t\\\'') }}`.replace("''", ' ')
    expect(partsOf(source)).toEqual([
      placeholder(
        source,
        'a',
        { name: 'f', args: ['x"y}}', 'it s', 5, -1.5] },
        { name: 'g', args: ["\n\t\\'"] },
      ),
    ])
  })

  it.each([
    ['plain text', ['plain text']],
    ['', []],
    ["o'neil {x}", ["o'neil {x}"]],
    ['{"a":{"b":{}}}', ['{"a":{"b":{}}}']],
    ['{"a":{"b":{"c":{"d":1}}}}', ['{"a":{"b":{"c":{"d":1}}}}']],
    ['{{{{ a }}}}', ['{{ a }}']],
    ['{{{{{{{{', ['{{{{']],
    ['{{{{ a', ['{{ a']],
    ['{{{{a}}}}}}}}', ['{{a}}}}}}']],
  ])('takes the braces of %j for text', (text, parts) => {
    expect(partsOf(text)).toEqual(parts)
  })

  it.each([
    ['{"terms":{{ a }}}', ['{"terms":', placeholder('{{ a }}', 'a'), '}']],
    ['{{{ a }}}', ['{', placeholder('{{ a }}', 'a'), '}']],
    ['{{{{{{a}}}}}}', ['{{', placeholder('{{a}}', 'a'), '}}']],
    ['{"q":{"b":{"t":{"x":{{a}}}}}}', ['{"q":{"b":{"t":{"x":', placeholder('{{a}}', 'a'), '}}}}']],
  ])('tells the braces around a placeholder from its own in %j', (text, parts) => {
    expect(partsOf(text)).toEqual(parts)
  })

  it.each([
    ['a {{ b', 'cannot read "{{ b": expected | or }} at character 7, found the end of the text'],
    ['{{}}', 'expected a name at character 3'],
    ['{{ a b }}', 'cannot read "{{ a b }}": expected | or }} at character 6, found "b"'],
    ['{{ a | }}', 'expected the name of a filter at character 8'],
    ['{{ a | f("x }}', 'expected a string in quotes or a number at character 10'],
    ['{{ a | f(x) }}', 'expected a string in quotes or a number at character 10'],
    ['{{ a | f("x" }}', 'expected , or ) at character 14'],
    ['{{ a | f(1 2) }}', 'expected , or ) at character 12'],
    [String.raw`{{ a | f("\q") }}`, 'as escape'],
    ['{{ .a }}', 'expected a name'],
    ['{{ a. }}', 'expected | or }}'],
  ])('says where %j went wrong and what is valid', (text, message) => {
    expect(partsOf(text)).toContain(message)
    expect(partsOf(text)).toContain('{{{{ writes literal braces')
  })

  it('gives text without double braces back', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('{{') && text !== '')
        expect(partsOf(text)).toEqual([text])
      }),
    )
  })

  it('reads hostile lengths in linear time', () => {
    const spent = cpuTime()
    const size = 300_000
    for (const unit of ['{', '}', '{{a}}', '{{{{', '{{{{}}}}', '{{ ', '{{a|', '{{a|f("', ' ']) {
      expect(parseTemplate(unit.repeat(size / unit.length)).ok).toBeTypeOf('boolean')
    }
    expect(parseTemplate(`{{ a | f("${'x'.repeat(5_000_000)}`).ok).toBe(false)
    expect(parseTemplate(`{{ a | f("${'\\\\'.repeat(1_000_000)}") }}`).ok).toBe(true)
    expect(spent()).toBeLessThan(5_000)
  })
})
