import { testAnswers } from './test-answers.ts'

const csv = { response_format: 'csv' }
const ids = { id: 'INTEGER', name: 'VARCHAR' }

testAnswers('csv', [
  {
    title: 'takes off a byte order mark before a quoted first header',
    columns: ids,
    binding: csv,
    answer: '\ufeff"id","name"\r\n1,web\r\n2,db\r\n',
    expect: {
      rows: [
        [1, 'web'],
        [2, 'db'],
      ],
    },
  },
  {
    title: 'keeps line ends and delimiters inside quotes, each as it is',
    columns: ids,
    binding: csv,
    answer: 'id,name\n1,"a\nb"\n2,"c\r\nd"\n3,"e\rf"\n4,"g,h"\n5,"tail\n"\n',
    expect: {
      rows: [
        [1, 'a\nb'],
        [2, 'c\r\nd'],
        [3, 'e\rf'],
        [4, 'g,h'],
        [5, 'tail\n'],
      ],
    },
  },
  {
    title: 'reads a doubled quote as one, also alone in its cell',
    columns: ids,
    binding: csv,
    answer: 'id,name\n1,"say ""hi"""\n2,""""\n3,""""""\n4,"x"\n',
    expect: {
      rows: [
        [1, 'say "hi"'],
        [2, '"'],
        [3, '""'],
        [4, 'x'],
      ],
    },
  },
  {
    title: 'takes a quote amid an unquoted cell for a plain character',
    columns: ids,
    binding: csv,
    answer: 'id,name\n1,19" rack\n2,Jim "The Fox" Hale\n3,x"\n4, "y"\n',
    expect: {
      rows: [
        [1, '19" rack'],
        [2, 'Jim "The Fox" Hale'],
        [3, 'x"'],
        [4, ' "y"'],
      ],
    },
  },
  {
    title: 'ends records with LF, CRLF or both in one text, and needs no end after the last',
    columns: ids,
    binding: csv,
    answer: 'id,name\r\n1,a\n2,b\r\n3,c',
    expect: {
      rows: [
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ],
    },
  },
  {
    title: 'skips wholly blank lines, also those with blanks, wherever they stand',
    columns: ids,
    binding: csv,
    answer: '\n\nid,name\n\n1,a\n   \n2,b\r\n\r\n\n',
    expect: {
      rows: [
        [1, 'a'],
        [2, 'b'],
      ],
    },
  },
  {
    title: 'trims headers, not cells',
    columns: ids,
    binding: csv,
    answer: ' id\t,  name  \n1,  a  \n2,\t\n',
    expect: {
      rows: [
        [1, '  a  '],
        [2, '\t'],
      ],
    },
  },
  {
    title: 'numbers repeated headers _2 and _3 and leaves a spelled name_2 its own',
    columns: { name: 'VARCHAR', name_2: 'VARCHAR', name_3: 'VARCHAR', id: 'INTEGER', id_2: 'INTEGER' },
    binding: csv,
    answer: 'name,id,name,name,id\na,1,b,c,2\n',
    expect: { rows: [['a', 'b', 'c', 1, 2]] },
  },
  {
    title: 'takes headers that differ by case for two columns',
    columns: { host: 'VARCHAR', other: 'VARCHAR' },
    binding: { ...csv, field_map: { other: 'Host' } },
    answer: 'host,Host\na,b\n',
    expect: { rows: [['a', 'b']] },
  },
  {
    title: 'stores a short row with nulls and counts it',
    columns: { a: 'VARCHAR', b: 'VARCHAR', c: 'INTEGER' },
    binding: csv,
    answer: 'a,b,c\n1,2\n3\n4,5,6\n',
    expect: {
      rows: [
        ['1', '2', null],
        ['3', null, null],
        ['4', '5', 6],
      ],
      rejects: 2,
      rejectedIn: {},
      rejectWords: ['1,2', '3'],
    },
  },
  {
    title: 'does not store a row with too many cells, empty ones included',
    columns: ids,
    binding: csv,
    answer: 'id,name\n1,a,b\n2,c,\n3,d\n',
    expect: { rows: [[3, 'd']], rejects: 2, dropped: 2, rejectWords: ['1,a,b', '2,c,'] },
  },
  {
    title: 'loses one row to a quote that is never closed at the end',
    columns: ids,
    binding: csv,
    answer: 'id,name\n1,a\n2,"never closed\n',
    expect: { rows: [[1, 'a']], rejects: 1, dropped: 1, rejectWords: ['never closed'] },
  },
  {
    title: 'loses one row to a stray opening quote amid good rows',
    columns: { id: 'INTEGER', name: 'VARCHAR', n: 'INTEGER' },
    binding: csv,
    answer: 'id,name,n\n1,a,1\n2,"b,2\n3,c,3\n4,d,4\n',
    expect: {
      rows: [
        [1, 'a', 1],
        [3, 'c', 3],
        [4, 'd', 4],
      ],
      rejects: 1,
      dropped: 1,
    },
  },
  {
    title: 'rejects a row with text behind a closing quote',
    columns: ids,
    binding: csv,
    answer: 'id,name\n1,"a"b\n2,c\n',
    expect: { rows: [[2, 'c']], rejects: 1, dropped: 1, rejectWords: ['"a"b'] },
  },
  {
    title: 'tells an empty cell from a quoted empty one in text only',
    columns: { s: 'VARCHAR', n: 'INTEGER', t: 'TIMESTAMP', b: 'BOOLEAN', d: 'DOUBLE', k: 'INTEGER' },
    binding: csv,
    answer: 's,n,t,b,d,k\n,,,,,1\n"","","","","",2\n',
    expect: {
      rows: [
        [null, null, null, null, null, 1],
        ['', null, null, null, null, 2],
      ],
    },
  },
  {
    title: 'keeps a row of empty cells only',
    columns: { a: 'VARCHAR', b: 'VARCHAR' },
    binding: csv,
    answer: 'a,b\n,\n"",""\nx,\n',
    expect: {
      rows: [
        [null, null],
        ['', ''],
        ['x', null],
      ],
    },
  },
  {
    title: 'keeps a quoted empty cell of a table of one column and skips its blank lines',
    columns: { a: 'VARCHAR' },
    binding: csv,
    answer: 'a\n""\n\nx\n',
    expect: { rows: [[''], ['x']] },
  },
  {
    title: 'keeps None, NULL, N/A and - as text; they are no nulls unless the binding says so',
    columns: { a: 'VARCHAR' },
    binding: csv,
    answer: 'a\nNone\nNULL\nN/A\n-\n',
    expect: { rows: [['None'], ['NULL'], ['N/A'], ['-']] },
  },
  {
    title: 'makes null of the texts in null_values, for numbers without a reject',
    columns: { a: 'VARCHAR', n: 'INTEGER' },
    binding: { ...csv, null_values: ['N/A', '-', ''] },
    answer: 'a,n\nN/A,-\n-,N/A\n"",1\nn/a,2\n',
    expect: {
      rows: [
        [null, null],
        [null, null],
        [null, 1],
        ['n/a', 2],
      ],
    },
  },
  {
    title: 'is zero rows for a header alone, with the full schema',
    columns: { id: 'BIGINT', name: 'VARCHAR' },
    binding: csv,
    answer: 'id,name\n',
    expect: { rows: [], types: { id: 'BIGINT', name: 'VARCHAR' } },
  },
  {
    title: 'is zero rows for a blank text',
    columns: ids,
    binding: csv,
    answer: ' \n\t\r\n',
    expect: { rows: [] },
  },
  { title: 'is zero rows for an empty text', columns: ids, binding: csv, answer: '', expect: { rows: [] } },
  {
    title: 'is zero rows for no block at all',
    columns: ids,
    binding: csv,
    answer: { result: { content: [] } },
    expect: { rows: [] },
  },
  {
    title: 'leaves columns that the text lacks null and passes over those that the contract lacks',
    columns: { id: 'INTEGER', extra: 'VARCHAR' },
    binding: csv,
    answer: 'id,unwanted\n1,x\n',
    expect: { rows: [[1, null]] },
  },
  {
    title: 'refuses a table none of whose columns is wanted',
    columns: { id: 'INTEGER', name: 'VARCHAR' },
    binding: csv,
    answer: 'foo,bar\n1,2\n',
    expect: { error: { kind: 'data', words: ['foo', 'bar', 'id'] } },
  },
  {
    title: 'maps headers with dots, blanks and brackets as they are written',
    columns: { ip: 'VARCHAR', host: 'VARCHAR', n: 'INTEGER' },
    binding: { ...csv, field_map: { ip: 'dst.ip', host: 'Host Name', n: 'count[sum]' } },
    answer: 'dst.ip,Host Name,count[sum]\n203.0.113.4,web 1,7\n',
    expect: { rows: [['203.0.113.4', 'web 1', 7]] },
  },
  {
    title: 'reads other delimiters',
    columns: ids,
    binding: { ...csv, csv: { delimiter: ';' } },
    answer: 'id;name\n1;a,b\n2;"c;d"\n',
    expect: {
      rows: [
        [1, 'a,b'],
        [2, 'c;d'],
      ],
    },
  },
  {
    title: 'reads pipes and tabs as delimiters',
    columns: ids,
    binding: { ...csv, csv: { delimiter: '|' } },
    answer: 'id|name\n1|a\n',
    expect: { rows: [[1, 'a']] },
  },
  {
    title: 'passes over comment lines, but not a mark inside a cell',
    columns: ids,
    binding: { ...csv, csv: { comment: '#' } },
    answer: '# exported: today\n# total, 2\n\nid,name\n1,#a\n#2,gone\n3,"x\n#y"\n',
    expect: {
      rows: [
        [1, '#a'],
        [3, 'x\n#y'],
      ],
    },
  },
  {
    title: 'takes lines with a hash for rows where no comment mark is set',
    columns: { id: 'VARCHAR', name: 'VARCHAR' },
    binding: csv,
    answer: 'id,name\n#1,a\n',
    expect: { rows: [['#1', 'a']] },
  },
  {
    title: 'names columns column_1 and so on where there is no header',
    columns: { id: 'INTEGER', name: 'VARCHAR' },
    binding: { ...csv, csv: { header: false }, field_map: { id: 'column_1', name: 'column_2' } },
    answer: '1,a\n2,b\n',
    expect: {
      rows: [
        [1, 'a'],
        [2, 'b'],
      ],
    },
  },
  {
    title: 'drops the header that every block repeats',
    columns: ids,
    binding: csv,
    answer: { text: ['id,name\n1,a\n', '\ufeffid,name\r\n2,b', 'id,name', '3,c'] },
    expect: {
      rows: [
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ],
    },
  },
  {
    title: 'keeps a row that spells the header in the block that it heads',
    columns: { id: 'VARCHAR', name: 'VARCHAR' },
    binding: csv,
    answer: 'id,name\nid,name\n',
    expect: { rows: [['id', 'name']] },
  },
  {
    title: 'is capped by a last line about more rows, which is no row',
    columns: ids,
    binding: csv,
    answer: 'id,name\n1,a\n... and 5 more rows\n',
    expect: { outcome: 'source_capped', rows: [[1, 'a']] },
  },
  {
    title: 'takes such a line amid rows for a short row',
    columns: { id: 'VARCHAR', name: 'VARCHAR' },
    binding: csv,
    answer: 'id,name\n... and 5 more rows\n1,a\n',
    expect: {
      rows: [
        ['... and 5 more rows', null],
        ['1', 'a'],
      ],
      rejects: 1,
    },
  },
  {
    title: 'joins several blocks by a newline',
    columns: ids,
    binding: csv,
    answer: { text: ['id,name\n1,a', '2,b'] },
    expect: {
      rows: [
        [1, 'a'],
        [2, 'b'],
      ],
    },
  },
  {
    title: 'keeps prototype keys as columns and data',
    columns: { constructor: 'VARCHAR', proto: 'VARCHAR', toString: 'VARCHAR' },
    binding: { ...csv, field_map: { proto: '__proto__' } },
    answer: '__proto__,constructor,id\nx,y,1\n__proto__,constructor,2\n',
    expect: {
      rows: [
        ['y', 'x', null],
        ['constructor', '__proto__', null],
      ],
    },
  },
  {
    title: 'keeps NUL, escapes, emoji and a byte order mark inside cells',
    columns: { a: 'VARCHAR', b: 'VARCHAR' },
    binding: csv,
    answer: 'a,b\nx\u0000y,\u001b[31m\n😀,z\ufeff\n\u202egnp,\u00a0\n',
    expect: {
      rows: [
        ['x\u0000y', '\u001b[31m'],
        ['😀', 'z\ufeff'],
        ['\u202egnp', '\u00a0'],
      ],
    },
  },
  {
    title: 'keeps a cell of a megabyte whole',
    columns: { id: 'INTEGER', name: 'VARCHAR' },
    binding: csv,
    answer: `id,name\n1,"${'x'.repeat(1_000_000)}"\n`,
    expect: { rows: [[1, 'x'.repeat(1_000_000)]] },
  },
  {
    title: 'keeps numbers exact: large ids, leading zeros in text, many decimals',
    columns: { id: 'BIGINT', code: 'VARCHAR', d: 'DECIMAL(20,10)', f: 'DOUBLE' },
    binding: csv,
    answer: 'id,code,d,f\n9007199254740993,00042,0.1234567891,1e3\n" 7 ",+1,-5,.5\n',
    expect: {
      rows: [
        ['9007199254740993', '00042', '0.1234567891', 1000],
        ['7', '+1', '-5.0000000000', 0.5],
      ],
    },
  },
  {
    title: 'reads trigger phrases in cells as data',
    columns: ids,
    binding: { ...csv, error_when: [{ text: '^Error' }], empty_when: [{ text: 'No results found' }] },
    answer: 'id,name\n1,Error: rate limit exceeded\n2,No results found\n3,... and 4 more rows\nError,x\n',
    expect: {
      rows: [
        [1, 'Error: rate limit exceeded'],
        [2, 'No results found'],
        [3, '... and 4 more rows'],
        [null, 'x'],
      ],
      rejects: 1,
      rejectedIn: { id: 1 },
    },
  },
  {
    title: 'fails with the words of an error that stands in place of the table',
    columns: ids,
    binding: csv,
    answer: 'Error: index not found',
    expect: { error: { kind: 'tool', words: ['index not found'] } },
  },
  {
    title: 'is zero rows for a sentence that empty_when names',
    columns: ids,
    binding: { ...csv, empty_when: [{ text: '^No results' }] },
    answer: 'No results found for your query, try another.',
    expect: { rows: [] },
  },
  {
    title: 'takes the csv of structuredContent when there is no text',
    columns: ids,
    binding: csv,
    answer: { result: { content: [], structuredContent: { result: 'id,name\n1,a\n' } } },
    expect: { rows: [[1, 'a']] },
  },
  {
    title: 'takes csv out of a code fence on request',
    columns: ids,
    binding: { ...csv, extract: 'fenced' },
    answer: 'Here you are:\n```csv\nid,name\n1,a\n```\nDone.',
    expect: { rows: [[1, 'a']] },
  },
  {
    title: 'drops a row whose only fault is a value, on request',
    columns: ids,
    binding: { ...csv, on_reject: 'drop_row' },
    answer: 'id,name\n1,a\nx,b\n3,c\n',
    expect: {
      rows: [
        [1, 'a'],
        [3, 'c'],
      ],
      rejects: 1,
      dropped: 1,
      rejectedIn: { id: 1 },
    },
  },
  {
    title: 'reads headers in any script',
    columns: { host: 'VARCHAR', note: 'VARCHAR' },
    binding: { ...csv, field_map: { host: 'Gerät', note: '備考' } },
    answer: 'Gerät,備考\nlap-1,café 漢\n',
    expect: { rows: [['lap-1', 'café 漢']] },
  },
])
