import { testAnswers } from './test-answers.ts'

const markdown = { response_format: 'markdown_table' }
const html = { response_format: 'html_table' }
const columns = { host: 'VARCHAR', n: 'INTEGER' }

testAnswers('markdown_table', [
  {
    title: 'reads rows below the rule, cells trimmed, empty ones null',
    columns,
    binding: markdown,
    answer: '| host | n |\n|:---|---:|\n| web-1 | 1 |\n|  |  2 |\n| web-3 | |\n',
    expect: {
      rows: [
        ['web-1', 1],
        [null, 2],
        ['web-3', null],
      ],
    },
  },
  {
    title: 'needs no outer pipes',
    columns,
    binding: markdown,
    answer: 'host | n\n--- | ---\nweb-1 | 1\nweb-2 | 2\n',
    expect: {
      rows: [
        ['web-1', 1],
        ['web-2', 2],
      ],
    },
  },
  {
    title: 'reads an escaped pipe as a pipe',
    columns,
    binding: markdown,
    answer: '| host | n |\n|---|---|\n| a \\| b | 1 |\n',
    expect: { rows: [['a | b', 1]] },
  },
  {
    title: 'passes over prose before and after',
    columns,
    binding: markdown,
    answer: '## Result\nFound 1 row:\n\n| host | n |\n|---|---|\n| web-1 | 1 |\n\nTotal: 1\n',
    expect: { rows: [['web-1', 1]] },
  },
  {
    title: 'counts a short row and leaves out a long one',
    columns: { a: 'VARCHAR', b: 'VARCHAR', c: 'VARCHAR' },
    binding: markdown,
    answer: '| a | b | c |\n|---|---|---|\n| 1 | 2 |\n| 1 | 2 | 3 | 4 |\n| 5 | 6 | 7 |\n',
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
    title: 'is zero rows for a table without rows',
    columns,
    binding: markdown,
    answer: '| host | n |\n|---|---|\n',
    expect: { rows: [] },
  },
  {
    title: 'is zero rows for a sentence that says so',
    columns,
    binding: markdown,
    answer: 'No results found.',
    expect: { rows: [] },
  },
  {
    title: 'fails on prose without a table',
    columns,
    binding: markdown,
    answer: 'The search was moved to the archive.',
    expect: { error: { kind: 'data', words: ['table'] } },
  },
  {
    title: 'keeps trigger phrases in cells as data',
    columns,
    binding: { ...markdown, error_when: [{ text: 'Error' }] },
    answer: '| host | n |\n|---|---|\n| Error: boom | 1 |\n| No results found | 2 |\n',
    expect: {
      rows: [
        ['Error: boom', 1],
        ['No results found', 2],
      ],
    },
  },
])

testAnswers('html_table', [
  {
    title: 'reads th or td headers, trims cells and decodes entities',
    columns,
    binding: html,
    answer:
      '<table><thead><tr><th> host </th><th>n</th></tr></thead><tbody><tr><td>a &amp; b &lt;c&gt; &#39;d&#x27;</td><td> 1 </td></tr><tr><td></td><td>2</td></tr></tbody></table>',
    expect: {
      rows: [
        ["a & b <c> 'd'", 1],
        [null, 2],
      ],
    },
  },
  {
    title: 'drops tags in cells and makes a line end of br',
    columns,
    binding: html,
    answer: '<TABLE><TR><TD>host<TD>n<TR><TD><b>web</b>-1<br/>x<TD>1</TABLE>',
    expect: { rows: [['web-1\nx', 1]] },
  },
  {
    title: 'rejects rows with spanning cells',
    columns,
    binding: html,
    answer:
      '<table><tr><th>host</th><th>n</th></tr><tr><td colspan="2">all</td></tr><tr><td>web-1</td><td>1</td></tr></table>',
    expect: { rows: [['web-1', 1]], rejects: 1, dropped: 1 },
  },
  {
    title: 'is zero rows for a table with a header only',
    columns,
    binding: html,
    answer: '<p>Report</p><table><tr><th>host</th><th>n</th></tr></table>',
    expect: { rows: [] },
  },
  {
    title: 'fails on a page without a table',
    columns,
    binding: html,
    answer: '<html><body><h1>Please log in</h1></body></html>',
    expect: { error: { kind: 'data' } },
  },
  {
    title: 'does not read scripts and comments as rows',
    columns,
    binding: html,
    answer:
      '<script>var t = "<table><tr><td>x</td></tr></table>"</script><!-- <table><tr><td>y</td></tr></table> --><table><tr><th>host</th><th>n</th></tr><tr><td>web-1</td><td>1</td></tr></table>',
    expect: { rows: [['web-1', 1]] },
  },
])

const keyValue = { response_format: 'key_value' }

testAnswers('key_value', [
  {
    title: 'reads records with a blank line between them',
    columns,
    binding: keyValue,
    answer: 'host: web-1\nn: 1\n\nhost: "web 2"\nn: 2\n',
    expect: {
      rows: [
        ['web-1', 1],
        ['web 2', 2],
      ],
    },
  },
  {
    title: 'reads a record per block on request',
    columns,
    binding: { ...keyValue, content: { blocks: 'each' } },
    answer: { text: ['host: web-1\nn: 1', 'host: web-2\nn: 2'] },
    expect: {
      rows: [
        ['web-1', 1],
        ['web-2', 2],
      ],
    },
  },
  {
    title: 'keeps colons in values, and values that are JSON',
    columns: { host: 'VARCHAR', url: 'VARCHAR', j: 'JSON', empty: 'VARCHAR' },
    binding: keyValue,
    answer: 'host: web-1\nurl: https://example.com:8443/a\nj: {"a": [1, 2.50]}\nempty:\n',
    expect: { rows: [['web-1', 'https://example.com:8443/a', '{"a":[1,2.50]}', null]] },
  },
  {
    title: 'is zero rows for a blank text',
    columns,
    binding: keyValue,
    answer: ' ',
    expect: { rows: [] },
  },
  {
    title: 'fails on prose',
    columns,
    binding: keyValue,
    answer: 'Nothing here looks like a record at all',
    expect: { error: { kind: 'data' } },
  },
])
