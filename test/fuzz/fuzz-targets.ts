import { globSync, readFileSync } from 'node:fs'
import { type AnswerSpec, compileAnswer, RunError } from '@huntfleet/contract'
import { adapters, formats, type ParsedText } from '@huntfleet/engine'
import { parseTemplate } from '../../packages/contract/src/template.ts'
import { parseYamlFile } from '../../packages/contract/src/yaml-file.ts'
import { extractText } from '../../packages/engine/src/extract.ts'
import { compactJson } from '../../packages/engine/src/json/compact.ts'
import { decodeText } from '../../packages/engine/src/json/decode-text.ts'
import { parseExact } from '../../packages/engine/src/json/parse-exact.ts'
import { compilePath, readPath } from '../../packages/engine/src/path.ts'
import { fakeText } from '../../packages/engine/src/recording/fake-text.ts'
import type { SeededRandom } from './seeded-random.ts'

/** A parser to be fuzzed. */
export interface FuzzTarget {
  /** Good inputs to begin with. */
  corpus: readonly string[]
  /** What the grammar is made of. */
  tokens: readonly string[]
  /** Reads an input; may throw RunErrors only, and throws an Error when what came of it cannot be right. */
  read(input: string, random: SeededRandom): void
}

const golden = (folder: string) =>
  globSync(`packages/engine/test/golden/${folder}/*.txt`).map((file) => readFileSync(file, 'utf8'))
const answers = globSync('packages/engine/test/golden/answers/*.json').map((file) =>
  readFileSync(file, 'utf8'),
)

const formatTokens: Readonly<Record<string, readonly string[]>> = {
  json: [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\u',
    'null',
    '-',
    '1e400',
    '0.',
    '```',
    '```json\n',
    'NaN',
    '{"__proto__":',
  ],
  csv: ['"', '""', ',', '\n', '\r\n', '#', ';', ',"', '",', '\n\n'],
  ndjson: ['{', '}', '\n', '[', ',', '"', '{"a":1}\n', '\n\n', '```'],
  tsv: ['\t', '"', '\n', '\t\t', '\\t', '#'],
  markdown_table: ['|', '|---|', '\\|', '\n', '---', ':-:', '||', '`', '\n\n'],
  html_table: [
    '<table>',
    '</table>',
    '<tr>',
    '<td',
    '>',
    '</td>',
    '<th>',
    '&amp;',
    '&#x',
    '<!--',
    '-->',
    '<td colspan="9999999">',
    '<script>',
    '"',
  ],
  key_value: [':', '\n', '\n\n', '- ', '=', '**', '  ', '---', ': '],
  tabular_text: [
    '|',
    '---',
    '\n',
    'Columns: ',
    'Column Names: ',
    "['",
    "',",
    ']',
    'None',
    '\\x',
    "'",
    '(',
    '{',
    '<hr />',
    '... and 9 more rows',
    '\\|',
    'Match Count: ',
  ],
}

/** Options that change how a text is read. */
const answerOptions: readonly Partial<AnswerSpec>[] = [
  {},
  { itemsPath: 'items' },
  { singleItem: true },
  { rows: 'matrix' },
  { rows: 'columns' },
  { rows: 'pairs' },
  { headerRow: 'every_page' },
  { csv: { delimiter: ';', comment: '#', header: false } },
  { nullValues: ['-', ''] },
  { extract: 'fenced' },
  { extract: 'json' },
  { itemPath: 'node', columnsPath: 'columns' },
]

const fields = ['id', 'host', 'a', 'Network Activity.dest_ip'].map((source, i) => ({
  source,
  column: `c${i}`,
  type: 'VARCHAR',
}))

const parsers = { ...formats, ...adapters }

function formatTarget(name: keyof typeof parsers): FuzzTarget {
  const base = compileAnswer({})
  return {
    corpus: golden(name),
    tokens: formatTokens[name] ?? [],
    read(input, random) {
      const answer = { ...base, ...random.pick(answerOptions) }
      const header = random.chance(0.1) ? ['id', 'host'] : null
      const page = parsers[name](input, { answer, fields, firstPage: random.chance(0.5), header })
      expectAccounted(page)
      for (const row of page.rows) compactJson(row)
    },
  }
}

/** Every item is a row or a reject that is not stored. */
export function expectAccounted({ items, rows, rejects }: ParsedText): void {
  const left = rejects.filter((reject) => !reject.stored).length
  if (items !== rows.length + left) {
    throw new Error(`${items} items, but ${rows.length} rows and ${left} rejects that are not stored`)
  }
  for (const { reason } of rejects) if (reason === '') throw new Error('a reject without a reason')
}

const jsonTokens = formatTokens['json'] ?? []
const yaml = [
  'a: 1\nb: [1, 2]\nc:\n  - x: "y"\n',
  'base: &b {x: 1}\nuse:\n  <<: *b\n  y: 2\n',
  'text: |\n  one\n  two\n',
]

/** Everything that reads what others wrote. */
export const fuzzTargets: Readonly<Record<string, FuzzTarget>> = {
  json: formatTarget('json'),
  csv: formatTarget('csv'),
  ndjson: formatTarget('ndjson'),
  tsv: formatTarget('tsv'),
  markdown_table: formatTarget('markdown_table'),
  html_table: formatTarget('html_table'),
  key_value: formatTarget('key_value'),
  tabular_text: formatTarget('tabular_text'),
  'parse-exact': {
    corpus: [...golden('json'), ...answers],
    tokens: jsonTokens,
    read(input) {
      const text = compactJson(parseExact(input))
      // What was read once is read again as the same.
      if (compactJson(parseExact(text)) !== text)
        throw new Error(`read twice, ${text.slice(0, 200)} is another value`)
    },
  },
  'decode-text': {
    corpus: [...golden('json'), ...golden('ndjson'), 'Found 2:\n```json\n[{"a":1}]\n```\nDone. {"b": [2]}'],
    tokens: [...jsonTokens, '\n', 'prose '],
    read(input, random) {
      const { text, values } = decodeText(input, random.pick(['auto', 'none', 'fenced', 'json']), 2)
      for (const { start, end } of values) {
        if (start < 0 || end > text.length || start >= end) throw new Error(`a value at ${start}..${end}`)
      }
    },
  },
  path: {
    corpus: [
      'a.b.c',
      'hits[0].source',
      '["key with.dots"].x',
      'items[type=x].value[-1]',
      'a..b',
      'values[host]',
    ],
    tokens: ['.', '[', ']', '"', "'", '=', '0', '-1', '[0]', '["', '"]', '*', ' '],
    read(input) {
      const document = parseExact(
        '{"a":{"b":{"c":1}},"hits":[{"source":2}],"":{"":3},"items":[{"type":"x"}]}',
      )
      readPath(document, compilePath(input.slice(0, 5_000)))
    },
  },
  extract: {
    corpus: ['<data>\n[1]\n</data>', 'Result:\n```\na,b\n1,2\n```\n', 'before START rows END after'],
    tokens: ['<data>', '</data>', '```', '````', '\n', 'START', 'END', '`'],
    read(input, random) {
      const base = compileAnswer({})
      const answer = random.pick([
        { ...base, extractAfter: 'START\\s+' },
        { ...base, extractAfter: '(a+)+$' },
        { ...base, extractBetween: ['<data>', '</data>'] as [string, string] },
        { ...base, extract: 'fenced' as const, format: 'csv' },
      ])
      const cut = extractText(input, answer)
      if (cut !== undefined && cut.inside.length > input.length) throw new Error('more inside than there was')
    },
  },
  template: {
    corpus: [
      '{{ a }}',
      'x {{ list | join(",") }} y',
      '{{{{ literal }}}}',
      '{{ a | default("x") | sql }}',
      '{"q": {"a": "{{b}}"}}',
    ],
    tokens: ['{{', '}}', '{', '}', '|', '(', ')', '"', "'", ',', '\\', '.', 'page.cursor', '{{{{', '}}}}'],
    read(input) {
      const parsed = parseTemplate(input)
      if (!parsed.ok && parsed.message === '') throw new Error('an error without words')
    },
  },
  'yaml-file': {
    corpus: [...yaml, ...answers.slice(0, 10)],
    tokens: [
      ':',
      ': ',
      '- ',
      '\n',
      '  ',
      '&a ',
      '*a',
      '<<: *a',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '|',
      '>',
      '#',
      '---',
      '!!binary ',
      '? ',
      '%YAML 1.1\n',
      '99999999999999999999',
    ],
    read(input) {
      const file = parseYamlFile('fuzz.yaml', input, 'PROJECT_INVALID')
      JSON.stringify(file.value)
      file.locate(['a', 0, 'b'])
    },
  },
  'fake-text': {
    corpus: [
      'srv-1.corp 2026-11-30T12:00:00.123Z {"a": "b"}',
      '10.0.0.1 0xdeadbeef01 6ba7b810-9dad-11d1-80b4-00c04fd430c8',
      ...golden('json'),
    ],
    tokens: ['"', '":', '\\', '.', '-', ':', '0x', 'T', 'Z', '日本', '1e5', '2026-11-31'],
    read(input) {
      const fake = fakeText(new Uint8Array(32), ['host'])(input)
      if (/^[\x20-\x7e\n]*$/.test(input) && /^[A-Za-z \n]*$/.test(input) && fake.length !== input.length)
        throw new Error('a fake of another length')
    },
  },
}

/** Errors of ours are answers; anything else is a crash. */
export function isAnswer(error: unknown): boolean {
  return error instanceof RunError && error.code !== 'INTERNAL' && error.message !== ''
}
