import { testAnswers } from './test-answers.ts'

const columns = { id: 'INTEGER', name: 'VARCHAR' }
const row = (id: number) => `{"id":${id},"name":"n${id}"}`
const rows = (...ids: number[]) => ids.map((id) => [id, `n${id}`])

testAnswers('content blocks', [
  {
    title: 'takes several objects for one row each',
    columns,
    answer: { text: [row(1), row(2), row(3)] },
    expect: { rows: rows(1, 2, 3) },
  },
  {
    title: 'concatenates several arrays',
    columns,
    answer: { text: [`[${row(1)},${row(2)}]`, '[]', `[${row(3)}]`] },
    expect: { rows: rows(1, 2, 3) },
  },
  {
    title: 'passes over prose blocks beside JSON',
    columns,
    answer: { text: ['Found 2 rows, showing 2.', `[${row(1)},${row(2)}]`, 'Bye'] },
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'takes objects amid prose for rows',
    columns,
    answer: { text: ['Results', row(1), 'and', row(2)] },
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'rejects a block that begins like JSON and is cut off',
    columns,
    answer: { text: [row(1), '{"id":2,"name":"n', row(3)] },
    expect: { rows: rows(1, 3), rejects: 1, dropped: 1, rejectWords: ['{"id":2,"name":"n'] },
  },
  {
    title: 'rejects a broken block beside a single object',
    columns,
    answer: { text: [row(1), '{"id":2,'] },
    expect: { rows: rows(1), rejects: 1, dropped: 1 },
  },
  {
    title: 'rejects a broken array beside a whole one',
    columns,
    answer: { text: [`[${row(1)}]`, `[${row(2)}, `] },
    expect: { rows: rows(1), rejects: 1, dropped: 1 },
  },
  {
    title: 'fails when the only block is broken JSON, with its place',
    columns,
    answer: { text: '[{"id":1},\n{"id":2,' },
    expect: { error: { kind: 'data', words: ['json', 'line 2'] } },
  },
  {
    title: 'fails on one bare object and names the ways out',
    columns,
    answer: { text: row(1) },
    expect: { error: { kind: 'data', words: ['single_item', 'items_path', 'content.blocks: each'] } },
  },
  {
    title: 'takes a lone object for a row with blocks: each',
    columns,
    binding: { content: { blocks: 'each' } },
    answer: { text: row(1) },
    expect: { rows: rows(1) },
  },
  {
    title: 'takes many objects for rows with blocks: each, and no block for none',
    columns,
    binding: { content: { blocks: 'each' } },
    answer: { text: [row(1), row(2)] },
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'is zero rows for no block with blocks: each',
    columns,
    binding: { content: { blocks: 'each' } },
    answer: { result: { content: [] } },
    expect: { rows: [] },
  },
  {
    title: 'takes the first block only with blocks: first',
    columns,
    binding: { content: { blocks: 'first' } },
    answer: { text: [`[${row(1)}]`, `[${row(2)}]`] },
    expect: { rows: rows(1) },
  },
  {
    title: 'takes the last block only with blocks: last',
    columns,
    binding: { content: { blocks: 'last' } },
    answer: { text: ['prose', `[${row(1)}]`, `[${row(2)}]`] },
    expect: { rows: rows(2) },
  },
  {
    title: 'counts blocks from 0',
    columns,
    binding: { content: { blocks: 1 } },
    answer: { text: [`[${row(1)}]`, `[${row(2)}]`, `[${row(3)}]`] },
    expect: { rows: rows(2) },
  },
  {
    title: 'fails when the block asked for is not there',
    columns,
    binding: { content: { blocks: 3 } },
    answer: { text: [`[${row(1)}]`] },
    expect: { error: { kind: 'data', words: ['block 3'] } },
  },
  {
    title: 'skips the first blocks on request',
    columns,
    binding: { content: { blocks: { skip: 1 } } },
    answer: { text: ['{"total":2}', row(1), row(2)] },
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'takes the blocks that match a pattern on request',
    columns,
    binding: { content: { blocks: { match: '^\\{"id"' } } },
    answer: { text: ['{"total":2}', row(1), 'x', row(2)] },
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'passes over images and other blocks',
    columns,
    answer: {
      result: {
        content: [
          { type: 'image', data: 'aGk=', mimeType: 'image/png' },
          { type: 'text', text: `[${row(1)}]` },
          { type: 'resource_link', uri: 'file:///x', name: 'x' },
        ],
      },
    },
    expect: { rows: rows(1) },
  },
  {
    title: 'reads an embedded resource when there is no text',
    columns,
    answer: {
      result: {
        content: [
          {
            type: 'resource',
            resource: { uri: 'mem://1', mimeType: 'application/json', text: `[${row(1)}]` },
          },
        ],
      },
    },
    expect: { rows: rows(1) },
  },
  {
    title: 'fails when there is nothing but an image',
    columns,
    answer: { result: { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] } },
    expect: { error: { kind: 'data', words: ['image'] } },
  },
  {
    title: 'fails on an answer of a link alone',
    columns,
    answer: { result: { content: [{ type: 'resource_link', uri: 'mem://1', name: 'x' }] } },
    expect: { error: { kind: 'data', words: ['resource_link'] } },
  },
  {
    title: 'concatenates the rows at items_path of several blocks',
    columns,
    binding: { items_path: 'rows' },
    answer: { text: [`{"rows":[${row(1)}]}`, `{"rows":[${row(2)}]}`] },
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'takes the envelope among prose and other objects with items_path',
    columns,
    binding: { items_path: 'rows' },
    answer: { text: ['Query ok', '{"took":4}', `{"rows":[${row(1)}]}`] },
    expect: { rows: rows(1) },
  },
  {
    title: 'is zero rows for blocks of empty arrays',
    columns,
    answer: { text: ['[]', '[]'] },
    expect: { rows: [] },
  },
  {
    title: 'passes over blank blocks beside JSON',
    columns,
    answer: { text: ['', `[${row(1)}]`, '\n'] },
    expect: { rows: rows(1) },
  },
  {
    title: 'takes nulls among object blocks for nothing',
    columns,
    answer: { text: [row(1), 'null', row(2)] },
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'uses structuredContent when no block is JSON, however many there are',
    columns,
    answer: {
      result: {
        content: [
          { type: 'text', text: 'Found' },
          { type: 'text', text: 'two' },
        ],
        structuredContent: { result: [{ id: 1, name: 'n1' }] },
      },
    },
    expect: { rows: rows(1) },
  },
  {
    title: 'does not add structuredContent to the text that repeats it',
    columns,
    answer: { text: `[${row(1)}]`, structured: { result: [{ id: 1, name: 'n1' }] } },
    expect: { rows: rows(1) },
  },
])

testAnswers('linked resources', [
  {
    title: 'reads the resources that the answer links to, when asked',
    columns,
    binding: { content: { follow_links: true } },
    resources: { 'mem://one': { text: `[${row(1)}]` }, 'mem://two': { text: `[${row(2)}]` } },
    answer: {
      result: {
        content: [
          { type: 'text', text: 'two parts' },
          { type: 'resource_link', uri: 'mem://one', name: 'one' },
          { type: 'resource_link', uri: 'mem://two', name: 'two' },
        ],
      },
    },
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'reads linked csv',
    columns,
    binding: { content: { follow_links: true }, response_format: 'csv' },
    resources: { 'mem://csv': { text: 'id,name\n1,n1\n', mimeType: 'text/csv' } },
    answer: { result: { content: [{ type: 'resource_link', uri: 'mem://csv', name: 'csv' }] } },
    expect: { rows: rows(1) },
  },
  {
    title: 'fails when a linked resource cannot be read, for its rows are missing',
    columns,
    binding: { content: { follow_links: true } },
    answer: {
      result: {
        content: [
          { type: 'text', text: `[${row(1)}]` },
          { type: 'resource_link', uri: 'mem://gone', name: 'gone' },
        ],
      },
    },
    expect: { error: { kind: 'config', words: ['resources/read'] } },
  },
  {
    title: 'decodes an embedded resource of base64',
    columns,
    answer: {
      result: {
        content: [
          {
            type: 'resource',
            resource: { uri: 'mem://b', blob: Buffer.from(`[${row(1)}]`).toString('base64') },
          },
        ],
      },
    },
    expect: { rows: rows(1) },
  },
])

testAnswers('extract', [
  {
    title: 'takes off a code fence with and without a language',
    columns,
    answer: { text: [`\`\`\`json\n[${row(1)}]\n\`\`\``, `\`\`\`\n[${row(2)}]\n\`\`\``] },
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'reads a fence with CRLF, tildes of prose around it and backticks in a string',
    columns,
    answer: 'Sure!\r\n\r\n```JSON\r\n[{"id":1,"name":"a```b\\n```\\nc"}]\r\n```\r\nAnything else?',
    expect: { rows: [[1, 'a```b\n```\nc']] },
  },
  {
    title: 'reads several fences of one block',
    columns,
    answer: `First:\n\`\`\`json\n[${row(1)}]\n\`\`\`\nSecond:\n\`\`\`json\n[${row(2)}]\n\`\`\`\n`,
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'passes over a fence that holds something else',
    columns,
    answer: `\`\`\`sql\nselect 1\n\`\`\`\n\`\`\`json\n[${row(1)}]\n\`\`\``,
    expect: { rows: rows(1) },
  },
  {
    title: 'finds JSON behind prose and a colon',
    columns,
    answer: `Logs data: [${row(1)}, ${row(2)}]`,
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'finds JSON on its own lines below prose',
    columns,
    answer: `Alerts of today\n\n[\n  ${row(1)},\n  ${row(2)}\n]\n\nEnd of list.`,
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'does not take bracketed words of prose for rows',
    columns,
    answer: '[INFO] started\n[WARN] slow\nno rows here',
    expect: { error: { kind: 'data' } },
  },
  {
    title: 'reads the whole text only with extract: none',
    columns,
    binding: { extract: 'none' },
    answer: `Data: [${row(1)}]`,
    expect: { error: { kind: 'data' } },
  },
  {
    title: 'cuts the text behind a pattern',
    columns,
    binding: { extract: { after: 'RESULT:' } },
    answer: `{"skip": true} RESULT: [${row(1)}]`,
    expect: { rows: rows(1) },
  },
  {
    title: 'cuts the text between marks',
    columns,
    binding: { extract: { between: ['<JSON_DATA>', '</JSON_DATA>'] } },
    answer: `<META>[1]</META>\n<JSON_DATA>\n[${row(1)}]\n</JSON_DATA>`,
    expect: { rows: rows(1) },
  },
  {
    title: 'fails when the marks are missing',
    columns,
    binding: { extract: { after: 'RESULT:' } },
    answer: `[${row(1)}]`,
    expect: { error: { kind: 'data', words: ['extract'] } },
  },
  {
    title: 'decodes text inside the JSON at text_path',
    columns,
    binding: { text_path: 'content' },
    answer: { json: { query: 'x', content: `[${row(1)}]` } },
    expect: { rows: rows(1) },
  },
  {
    title: 'decodes csv inside the JSON at text_path',
    columns,
    binding: { text_path: 'data.csv', response_format: 'csv' },
    answer: { json: { data: { csv: 'id,name\n1,n1\n2,n2\n' } } },
    expect: { rows: rows(1, 2) },
  },
  {
    title: 'follows items_path inside the text at text_path',
    columns,
    binding: { text_path: 'body', items_path: 'rows' },
    answer: { json: { body: JSON.stringify({ rows: [{ id: 1, name: 'n1' }] }) } },
    expect: { rows: rows(1) },
  },
  {
    title: 'is zero rows for an empty or null text at text_path',
    columns,
    binding: { text_path: 'csv', response_format: 'csv' },
    answer: { json: { csv: '' } },
    expect: { rows: [] },
  },
  {
    title: 'is zero rows for null at text_path',
    columns,
    binding: { text_path: 'csv', response_format: 'csv' },
    answer: { json: { csv: null } },
    expect: { rows: [] },
  },
  {
    title: 'names the keys when text_path is missing',
    columns,
    binding: { text_path: 'content' },
    answer: { json: { body: '[]', took: 2 } },
    expect: { error: { kind: 'data', words: ['content', 'body', 'took'] } },
  },
  {
    title: 'reads a list form inside the JSON at text_path',
    columns,
    binding: { text_path: 'result', response_adapter: 'tabular_text' },
    answer: { json: { result: "Column Names: id, name\nRow 1: [1, 'n1']" } },
    expect: { rows: rows(1) },
  },
])
