import { testAnswers } from './test-answers.ts'

const tabular = { response_adapter: 'tabular_text' }
const columns = { host: 'VARCHAR', port: 'INTEGER' }

testAnswers('tabular_text, pipe form', [
  {
    title: 'trims cells, skips blank lines and reads None as null',
    columns,
    binding: tabular,
    answer: 'Columns: host | port\n---\n  web-1 |  443  \n\ndb-1|None\nNone | 22\n',
    expect: {
      rows: [
        ['web-1', 443],
        ['db-1', null],
        [null, 22],
      ],
    },
  },
  {
    title: 'reads only the bare word None as null',
    columns,
    binding: tabular,
    answer: "Columns: host | port\n---\nnone | 1\n'None' | 2\nNoneSuch | 3\nnull | 4\n",
    expect: {
      rows: [
        ['none', 1],
        ["'None'", 2],
        ['NoneSuch', 3],
        ['null', 4],
      ],
    },
  },
  {
    title: 'takes <hr /> and longer rules for the separator',
    columns,
    binding: tabular,
    answer: 'Columns: host | port\n<hr />\nweb-1 | 1\n',
    expect: { rows: [['web-1', 1]] },
  },
  {
    title: 'takes a Markdown rule for the separator and drops the outer pipes',
    columns,
    binding: tabular,
    answer: 'Columns: | host | port |\n|---|---:|\n| web-1 | 1 |\n| web-2 | 2 |\n',
    expect: {
      rows: [
        ['web-1', 1],
        ['web-2', 2],
      ],
    },
  },
  {
    title: 'reads an escaped pipe as a pipe',
    columns: { cmd: 'VARCHAR', n: 'INTEGER' },
    binding: tabular,
    answer: 'Columns: cmd | n\n---\ncat a \\| grep b | 1\n\\| | 2\na\\|b\\|c | 3\n',
    expect: {
      rows: [
        ['cat a | grep b', 1],
        ['|', 2],
        ['a|b|c', 3],
      ],
    },
  },
  {
    title: 'keeps footers as the note, neither rows nor rejects',
    columns,
    binding: tabular,
    answer: 'Columns: host | port\n---\nweb-1 | 1\nweb-2 | 2\n\n2 rows in 0.3 s\nQuery id: 77\n',
    expect: {
      rows: [
        ['web-1', 1],
        ['web-2', 2],
      ],
      notes: ['2 rows in 0.3 s', 'Query id: 77'],
    },
  },
  {
    title: 'rejects a line without a pipe amid rows and reads on',
    columns,
    binding: tabular,
    answer: 'Columns: host | port\n---\nweb-1 | 1\noops\nweb-2 | 2\n',
    expect: {
      rows: [
        ['web-1', 1],
        ['web-2', 2],
      ],
      rejects: 1,
      dropped: 1,
      rejectWords: ['oops'],
    },
  },
  {
    title: 'takes every line of a table of one column for a row',
    columns: { host: 'VARCHAR' },
    binding: tabular,
    answer: 'Columns: host\n---\nweb-1\n\nNone\ntwo words\n',
    expect: { rows: [['web-1'], [null], ['two words']] },
  },
  {
    title: 'counts a short row and leaves out a long one',
    columns: { a: 'VARCHAR', b: 'VARCHAR', c: 'VARCHAR' },
    binding: tabular,
    answer: 'Columns: a | b | c\n---\n1 | 2\n1 | 2 | 3 | 4\n5 | 6 | 7\n',
    expect: {
      rows: [
        ['1', '2', null],
        ['5', '6', '7'],
      ],
      rejects: 2,
      dropped: 1,
    },
  },
  {
    title: 'keeps an empty first cell in its place',
    columns: { a: 'VARCHAR', b: 'VARCHAR', c: 'INTEGER' },
    binding: tabular,
    answer: 'Columns: a | b | c\n---\n | x | 1\ny | | 2\nz | w |\n',
    expect: {
      rows: [
        ['', 'x', 1],
        ['y', '', 2],
        ['z', 'w', null],
      ],
    },
  },
  {
    title: 'maps dotted headers literally and numbers repeated ones',
    columns: { ip: 'VARCHAR', first: 'VARCHAR', second: 'VARCHAR' },
    binding: { ...tabular, field_map: { ip: 'dst.ip.address', first: 'name', second: 'name_2' } },
    answer: 'Columns: dst.ip.address | name | name\n---\n203.0.113.4 | a | b\n',
    expect: { rows: [['203.0.113.4', 'a', 'b']] },
  },
  {
    title: 'is zero rows for a table without rows, and for a blank text',
    columns,
    binding: tabular,
    answer: 'Columns: host | port\n---\n',
    expect: { rows: [] },
  },
  { title: 'is zero rows for a blank text', columns, binding: tabular, answer: '\n', expect: { rows: [] } },
  {
    title: 'is zero rows for an explicit sentence about no results',
    columns,
    binding: tabular,
    answer: 'Query executed successfully. No results found.',
    expect: { rows: [] },
  },
  {
    title: 'is zero rows for "0 rows"',
    columns,
    binding: tabular,
    answer: '0 rows returned',
    expect: { rows: [] },
  },
  {
    title: 'fails on prose with neither header',
    columns,
    binding: tabular,
    answer: 'The query ran for two minutes and was then handed to another worker.',
    expect: { error: { kind: 'data', words: ['could not find column headers'] }, calls: 1 },
  },
  {
    title: 'fails on an apology that holds the words no results amid others',
    columns,
    binding: tabular,
    answer: 'We could not run it. There may be no results because the index is closed.',
    expect: { error: { kind: 'data' } },
  },
  {
    title: 'passes over prose above the header',
    columns,
    binding: tabular,
    answer: 'Query finished.\nMatched 2 events.\n\nColumns: host | port\n---\nweb-1 | 1\n',
    expect: { rows: [['web-1', 1]] },
  },
  {
    title: 'reads CRLF and a byte order mark',
    columns,
    binding: tabular,
    answer: '\ufeffColumns: host | port\r\n---\r\nweb-1 | 1\r\nweb-2 | None\r\n',
    expect: {
      rows: [
        ['web-1', 1],
        ['web-2', null],
      ],
    },
  },
  {
    title: 'takes header words, separators and sentences inside cells for data',
    columns: { a: 'VARCHAR', b: 'VARCHAR' },
    binding: { ...tabular, error_when: [{ text: 'Error' }], empty_when: [{ text: 'No results' }] },
    answer: 'Columns: a | b\n---\nColumns: x | Error: rate limit\n... and 3 more rows | No results found\n',
    expect: {
      rows: [
        ['Columns: x', 'Error: rate limit'],
        ['... and 3 more rows', 'No results found'],
      ],
    },
  },
  {
    title: 'says that rows are missing when a line under the table does',
    columns,
    binding: tabular,
    answer: 'Columns: host | port\n---\nweb-1 | 1\n... and 1,204 more rows\n',
    expect: { outcome: 'source_capped', rows: [['web-1', 1]] },
  },
  {
    title: 'rejects values that do not fit and keeps their rows',
    columns,
    binding: tabular,
    answer: 'Columns: host | port\n---\nweb-1 | https\nweb-2 | 70000000000\nweb-3 | 3\n',
    expect: {
      rows: [
        ['web-1', null],
        ['web-2', null],
        ['web-3', 3],
      ],
      rejects: 2,
      rejectedIn: { port: 2 },
      rejectWords: ['https', '70000000000'],
    },
  },
  {
    title: 'joins blocks, so that a header and its rows may come in several',
    columns,
    binding: tabular,
    answer: { text: ['Columns: host | port\n---\nweb-1 | 1', 'web-2 | 2'] },
    expect: {
      rows: [
        ['web-1', 1],
        ['web-2', 2],
      ],
    },
  },
  {
    title: 'keeps large numbers exact and times with their zone',
    columns: { id: 'BIGINT', seen: 'TIMESTAMP' },
    binding: tabular,
    answer: 'Columns: id | seen\n---\n9223372036854775807 | 2026-03-01T10:00:00+02:00\n-1 | 1772359200123\n',
    expect: {
      rows: [
        ['9223372036854775807', '2026-03-01T08:00:00.000000Z'],
        ['-1', '2026-03-01T10:00:00.123000Z'],
      ],
    },
  },
])
