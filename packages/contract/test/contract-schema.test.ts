import { describe, expect, it } from 'vitest'
import { bindingWith, complaintsOf, contractWith, readDocuments } from './read-documents.ts'

const optional = (contract: string) =>
  contract.replace('      columns:\n', '      optional: true\n      columns:\n')

/** Complaints about a contract that needs no binding. */
const complaints = (contract: string) => complaintsOf(readDocuments(optional(contract), null).findings)
const contractOf = (contract: string) => readDocuments(optional(contract), null).strategy?.contract

describe('contract.yaml', () => {
  it('needs a name, a description, a tag and columns, and nothing else', () => {
    expect(complaints(contractWith())).toEqual([])
    expect(contractOf(contractWith())).toMatchObject({ name: 'dns', version: '1', params: {} })
  })

  it.each<[string, string, RegExp]>([
    [
      'name: DNS\ndescription: d\ntags: [t]',
      '1:7',
      /name: "DNS": a strategy name is made of lower-case letters/,
    ],
    ['name: ../x\ndescription: d\ntags: [t]', '1:7', /a strategy name/],
    ['description: d\ntags: [t]', '1:1', /name: is missing/],
    ['name: dns\ntags: [t]', '1:1', /description: is missing/],
    ['name: dns\ndescription: ""\ntags: [t]', '2:14', /say in a sentence what the strategy hunts/],
    ['name: dns\ndescription: d', '1:1', /tags: is missing/],
    ['name: dns\ndescription: d\ntags: []', '3:7', /at least one tag is needed/],
    ['name: dns\ndescription: d\ntags: t', '3:7', /tags: "t" is not a list/],
    ['', '1:1', /the file is empty/],
    ['- a', '1:1', /a list is not a map/],
  ])('refuses %j', (text, place, words) => {
    const all = complaintsOf(readDocuments(text, null).findings)
    expect(all).toHaveLength(1)
    expect(all[0]).toMatch(new RegExp(`^error contract\\.yaml:${place} `))
    expect(all[0]).toMatch(words)
  })

  it.each<[string, string]>([
    ['descripton: x\n', 'warning contract.yaml:4:1 unknown key "descripton"; did you mean "description"?'],
    [
      'params: {days: {typ: int}}\n',
      'warning contract.yaml:4:17 unknown key "params.days.typ"; did you mean "type"?',
    ],
    ['discovery: {anything: 1}\npinned_backend: elastic\n', ''],
  ])('says what it does not know: %j', (text, complaint) => {
    expect(complaints(contractWith(text))).toEqual(complaint === '' ? [] : [complaint])
  })

  it('says what it does not know below requires', () => {
    const contract = contractWith('', '        id: {type: BIGINT, semantc: x}\n').replace(
      'requires:\n',
      'requires:\n  tabels: {}\n',
    )
    expect(complaints(contract)).toEqual([
      'warning contract.yaml:5:3 unknown key "requires.tabels"; did you mean "tables"?',
      'warning contract.yaml:10:28 unknown key "requires.tables.events.columns.id.semantc"; did you mean "semantic"?',
    ])
  })
})

describe('parameters', () => {
  it.each<[string, string, RegExp]>([
    ['{type: itn}', '4:23', /params\.days\.type: "itn" is not one of str, string, int.*did you mean int\?/],
    ['{type: int, default: 7.9}', '4:16', /parameter "days": default 7\.9 is not of type int/],
    ['{type: int, min: 9, max: x}', '4:16', /parameter "days": max "x" is not of type int/],
    ['{type: bool, min: 1}', '4:16', /min 1 is not of type bool|type bool has no min/],
    ['{type: str, enum: []}', '4:34', /params\.days\.enum/],
    ['{type: int, required: maybe}', '4:38', /required: "maybe" is not true or false/],
    ['5', '4:16', /params\.days: 5 is not a map/],
  ])('refuses %s', (text, place, words) => {
    const all = complaints(contractWith(`params: {days: ${text}}\n`))
    expect(all[0]).toMatch(new RegExp(`^error contract\\.yaml:${place} `))
    expect(all[0]).toMatch(words)
  })

  it.each(['a-b', '1a', 'a.b'])('may not be called %s', (name) => {
    expect(complaints(contractWith(`params: {${name}: {}}\n`))).toEqual([
      `error contract.yaml:4:10 params.${name}: a parameter name is made of letters, digits and _`,
    ])
  })

  it.each([
    ['string', 'str'],
    ['integer', 'int'],
    ['number', 'float'],
    ['boolean', 'bool'],
    ['list', 'list'],
    ['timestamp', 'timestamp'],
    ['duration', 'duration'],
  ])('of the type %s are %s', (word, type) => {
    expect(contractOf(contractWith(`params: {p: {type: ${word}}}\n`))?.params['p']).toMatchObject({ type })
  })

  it('that are only named are texts, and a table of none is none', () => {
    expect(contractOf(contractWith('params: {p: }\n'))?.params['p']).toMatchObject({
      type: 'str',
      required: false,
    })
    expect(contractOf(contractWith('params:\n'))?.params).toEqual({})
  })
})

describe('tables and columns', () => {
  it('warns of columns that SQL does not tell apart', () => {
    const { findings } = readDocuments(
      contractWith('', '        id: BIGINT\n        ID: VARCHAR\n'),
      bindingWith(),
    )
    expect(complaintsOf(findings)).toEqual([
      'warning contract.yaml:9:9 requires.tables.events.columns.ID: differs from the column id by its case only, which SQL does not see',
    ])
  })

  it.each(['a.b', 'a/b', '"../x"', '"a b"', '""', 'x'.repeat(65), 'ä'])('may not be called %s', (name) => {
    const text = name.replaceAll('"', '')
    const table = complaints(contractWith('', `        id: BIGINT\n    ${name}: {columns: {x: BIGINT}}\n`))
    expect(table).toEqual([
      `error contract.yaml:10:5 requires.tables.${text}: a table name is made of letters, digits and _, at most 64`,
    ])
    const column = complaints(contractWith('', `        ${name}: BIGINT\n`))
    expect(column).toEqual([
      `error contract.yaml:9:9 requires.tables.events.columns.${text}: a column name is made of letters, digits and _, at most 64`,
    ])
  })

  it('need at least one column', () => {
    expect(complaints(contractWith('', '        {}\n'))).toEqual([
      'error contract.yaml:9:9 requires.tables.events.columns: a table needs at least one column',
    ])
  })

  it('of an unknown type are told the types', () => {
    for (const column of ['id: BIGNIT', 'id: {type: BIGNIT}']) {
      const [complaint = ''] = complaints(contractWith('', `        ${column}\n`))
      expect(complaint).toMatch(
        /^error contract\.yaml:9:\d+ requires.*"BIGNIT": no such column type; the types are VARCHAR, BOOLEAN.*DECIMAL\(p,s\)/,
      )
    }
  })

  it('may be written as their type alone, or only be named', () => {
    const columns = contractOf(
      contractWith('', '        a: bigint\n        b:\n        c: {}\n        d: {type: "VARCHAR[]"}\n'),
    )?.requires.tables['events']?.columns
    expect(Object.values(columns ?? {}).map((column) => column.type)).toEqual([
      'bigint',
      'VARCHAR',
      'VARCHAR',
      'VARCHAR[]',
    ])
  })

  it.each(['mask', 'hash'])('of other types than VARCHAR cannot be %sed', (how) => {
    expect(
      complaints(
        contractWith(
          '',
          `        id: {type: BIGINT, sensitive: ${how}}\n        n: {type: text, sensitive: ${how}}\n`,
        ),
      ),
    ).toEqual([
      `error contract.yaml:9:39 requires.tables.events.columns.id.sensitive: BIGINT cannot be ${how}ed; only VARCHAR can, or use sensitive: drop`,
    ])
  })

  it('of any type can be dropped', () => {
    expect(complaints(contractWith('', '        id: {type: BIGINT, sensitive: drop}\n'))).toEqual([])
  })

  it('with wrong words for their options are told the words', () => {
    expect(complaints(contractWith('', '        id: {sensitive: hide, round: half_eben}\n'))).toEqual([
      'error contract.yaml:9:25 requires.tables.events.columns.id.sensitive: "hide" is not one of mask, hash, drop',
      'error contract.yaml:9:38 requires.tables.events.columns.id.round: "half_eben" is not one of half_even; did you mean half_even?',
    ])
  })

  it('may carry a volume hint that is a number', () => {
    const contract = contractWith().replace('      columns', '      volume_hint: 5000\n      columns')
    expect(contractOf(contract)?.requires.tables['events']?.volume_hint).toBe('5000')
  })
})
