import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkSchema } from '../src/check-schema.ts'
import { secretSchema } from '../src/secret.ts'
import { parseYamlFile } from '../src/yaml-file.ts'
import { complaintsOf } from './read-documents.ts'

const schema = z.strictObject({
  name: z.string(),
  size: z.int().positive().optional(),
  tags: z.array(z.string()).default([]),
  mode: z.enum(['offset', 'cursor']).optional(),
  source: z.union([z.string(), z.strictObject({ value: z.json() })]).optional(),
  blocks: z.union([z.enum(['first', 'last']), z.int()]).optional(),
  auth: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('none') }),
      z.strictObject({ type: z.literal('bearer'), token: secretSchema }),
    ])
    .optional(),
  servers: z
    .record(
      z.string().regex(/^[a-z]+$/, { error: 'a name is made of small letters' }),
      z.strictObject({ url: z.string() }).or(z.array(z.strictObject({ url: z.string() }))),
    )
    .optional(),
  headers: z.record(z.string(), z.union([z.string(), secretSchema])).optional(),
})

function check(text: string, strict = false) {
  const source = parseYamlFile('f.yaml', text, 'PROJECT_INVALID')
  return checkSchema(source, source.value, schema, {
    code: 'PROJECT_INVALID',
    unknownKeys: () => (strict ? 'error' : 'warning'),
  })
}
const complaints = (text: string) => complaintsOf(check(text).findings)

describe('a value that does not fit', () => {
  it.each<[string, string, string]>([
    ['a wrong kind', 'name: 5', 'error f.yaml:1:7 name: 5 is not a text'],
    ['a fraction', 'name: a\nsize: 1.5', 'error f.yaml:2:7 size: 1.5 is not a whole number'],
    [
      'a number out of bounds',
      'name: a\nsize: 0',
      'error f.yaml:2:7 size: 0: Too small: expected number to be >0',
    ],
    ['a missing key', 'size: 1', 'error f.yaml:1:1 name: is missing (wanted: a text)'],
    [
      'a word with a typo',
      'name: a\nmode: ofset',
      'error f.yaml:2:7 mode: "ofset" is not one of offset, cursor; did you mean offset?',
    ],
    ['no branch of a union', 'name: a\nsource: 5', 'error f.yaml:2:9 source: 5 is not a text, or a map'],
    [
      'the nearest branch of a union',
      'name: a\nblocks: frist',
      'error f.yaml:2:9 blocks: "frist" is not one of first, last; did you mean first?',
    ],
    [
      'an unknown type',
      'name: a\nauth: {type: bearr}',
      'error f.yaml:2:14 auth.type: "bearr" is not one of none, bearer; did you mean bearer?',
    ],
    ['a missing type', 'name: a\nauth: {}', 'error f.yaml:2:1 auth.type: is missing: one of none, bearer'],
    [
      'a wrong free key',
      'name: a\nservers: {A1: {url: x}}',
      'error f.yaml:2:11 servers.A1: a name is made of small letters',
    ],
    ['an element of a list', 'name: a\ntags: [x, 5]', 'error f.yaml:2:11 tags.1: 5 is not a text'],
    ['no map at all', '- a', 'error f.yaml:1:1 a list is not a map'],
    ['an empty file', '', 'error f.yaml:1:1 the file is empty'],
    [
      'a long text, cut',
      `name: a\nmode: ${'x'.repeat(200)}`,
      `error f.yaml:2:7 mode: "${'x'.repeat(76)}… is not one of offset, cursor`,
    ],
  ])('is reported: %s', (_, text, complaint) => {
    expect(complaints(text)).toEqual([complaint])
  })

  it('takes what lacks something out of the rest', () => {
    const text = 'name: a\nservers: {s: {}, t: {url: x}}'
    expect(complaints(text)).toEqual(['error f.yaml:2:11 servers.s.url: is missing (wanted: a text)'])
    expect(check(text).rest).toEqual({ name: 'a', tags: [], servers: { t: { url: 'x' } } })
  })

  it('leaves no value, but the rest of it', () => {
    const { value, rest } = check('name: a\nsize: x\nmode: cursor')
    expect(value).toBeUndefined()
    expect(rest).toEqual({ name: 'a', mode: 'cursor', tags: [] })
  })
})

describe('an unknown key', () => {
  it('is a warning with a guess, and is left out', () => {
    const { value, findings } = check('nmae: x\nname: a')
    expect(value).toEqual({ name: 'a', tags: [] })
    expect(complaintsOf(findings)).toEqual(['warning f.yaml:1:1 unknown key "nmae"; did you mean "name"?'])
  })

  it('is an error where the policy says so', () => {
    expect(check('name: a\nx: 1', true)).toMatchObject({ value: undefined, rest: { name: 'a' } })
  })

  it('lists the known keys when none is near', () => {
    expect(complaints('name: a\nauth: {type: none, zzz: 1}')).toEqual([
      'warning f.yaml:2:20 unknown key "auth.zzz"; known here: type',
    ])
  })

  it.each<[string, string, string]>([
    [
      'in a branch of a union',
      'name: a\nsource: {value: 1, valeu: 2}',
      'warning f.yaml:2:20 unknown key "source.valeu"; did you mean "value"?',
    ],
    [
      'in a map with free keys',
      'name: a\nservers: {s: {url: x, ulr: y}}',
      'warning f.yaml:2:23 unknown key "servers.s.ulr"; did you mean "url"?',
    ],
    [
      'in a list',
      'name: a\nservers: {s: [{url: x, ulr: y}]}',
      'warning f.yaml:2:24 unknown key "servers.s.0.ulr"; did you mean "url"?',
    ],
    [
      'called like a property of objects',
      'name: a\nconstructor: 1',
      'warning f.yaml:2:1 unknown key "constructor"; known here: name, size, tags, mode, source, blocks, auth, servers, headers',
    ],
  ])('is found %s', (_, text, complaint) => {
    expect(complaints(text)).toEqual([complaint])
  })
})

describe('several mistakes', () => {
  it('are reported together, whatever hides behind what', () => {
    const text = 'nam: a\nsize: -1\nmode: x\nservers:\n  s: {ulr: 1}\n  t: {url: 5}\nheaders: 7\n'
    expect(complaints(text)).toEqual(
      expect.arrayContaining([
        'warning f.yaml:1:1 unknown key "nam"; did you mean "name"?',
        'error f.yaml:1:1 name: is missing (wanted: a text)',
        'error f.yaml:2:7 size: -1: Too small: expected number to be >0',
        'error f.yaml:3:7 mode: "x" is not one of offset, cursor',
        'warning f.yaml:5:7 unknown key "servers.s.ulr"; did you mean "url"?',
        'error f.yaml:5:3 servers.s.url: is missing (wanted: a text)',
        'error f.yaml:6:12 servers.t.url: 5 is not a text',
        'error f.yaml:7:10 headers: 7 is not a map',
      ]),
    )
  })
})

describe('a known key without a value', () => {
  it('is not set', () => {
    expect(check('name: a\nsize:\ntags:\nsource: ~')).toEqual({
      value: { name: 'a', tags: [] },
      rest: { name: 'a', tags: [] },
      findings: [],
    })
  })

  it('is missing where it is needed', () => {
    expect(complaints('name:')).toEqual(['error f.yaml:1:6 name: is missing (wanted: a text)'])
  })

  it('is an error among free keys, which would vanish with what they name', () => {
    expect(complaints('name: a\nservers: {s: }')).toEqual([
      'error f.yaml:2:14 servers.s: nothing is not a map, or a list',
    ])
  })

  it('is an error where a typo would fail open', () => {
    const text = 'name: a\nservers: {s: {url: }}'
    expect(complaintsOf(check(text, true).findings)).toEqual([
      'error f.yaml:2:20 servers.s.url: nothing is not a text',
    ])
  })
})

describe('a secret', () => {
  it.each<[string, string]>([
    ['instead of its map', 'auth: {type: bearer, token: hunter2hunter2}'],
    ['as a number', 'headers: {X-Key: 80211353}'],
    ['of a wrong kind inside its map', 'auth: {type: bearer, token: {value: 80211353}}'],
    ['given in two ways', 'auth: {type: bearer, token: {value: hunter2hunter2, env: X}}'],
  ])('is not repeated in a message: %s', (_, text) => {
    const [complaint = ''] = complaints(`name: a\n${text}`)
    expect(complaint).toMatch(/^error f\.yaml:2:\d+ (auth\.token|headers\.X-Key)/)
    expect(complaint).not.toMatch(/hunter2|80211353/)
  })
})
