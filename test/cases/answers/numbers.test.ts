import { testAnswers } from './test-answers.ts'

/** JSON rows with one field `v`, written as they are. */
const values = (...texts: string[]) => `[${texts.map((text) => `{"v":${text}}`).join(',')}]`
const column = (...cells: (string | number | boolean | null)[]) => cells.map((cell) => [cell])

testAnswers('integers', [
  {
    title: 'keeps the ends of BIGINT exact and rejects what is beyond',
    columns: { v: 'BIGINT' },
    answer: values(
      '9223372036854775807',
      '-9223372036854775808',
      '9223372036854775808',
      '-9223372036854775809',
      '"9223372036854775807"',
    ),
    expect: {
      rows: column('9223372036854775807', '-9223372036854775808', null, null, '9223372036854775807'),
      rejects: 2,
      rejectedIn: { v: 2 },
      rejectWords: ['9223372036854775808', '-9223372036854775809'],
    },
  },
  {
    title: 'keeps the ends of UBIGINT and HUGEINT exact',
    columns: { v: 'UBIGINT', h: 'HUGEINT' },
    answer:
      '[{"v":18446744073709551615,"h":99999999999999999999999999999999999999},{"v":18446744073709551616,"h":100000000000000000000000000000000000000},{"v":-1,"h":-99999999999999999999999999999999999999},{"v":0,"h":"-0"}]',
    expect: {
      rows: [
        ['18446744073709551615', '99999999999999999999999999999999999999'],
        [null, null],
        [null, '-99999999999999999999999999999999999999'],
        ['0', '0'],
      ],
      rejects: 3,
      rejectedIn: { v: 2, h: 1 },
    },
  },
  {
    title: 'keeps to the range of every small type',
    columns: { a: 'TINYINT', b: 'UTINYINT', c: 'SMALLINT', d: 'USMALLINT', e: 'INT', f: 'UINTEGER' },
    answer:
      '[{"a":127,"b":255,"c":32767,"d":65535,"e":2147483647,"f":4294967295},{"a":-128,"b":0,"c":-32768,"d":0,"e":-2147483648,"f":0},{"a":128,"b":256,"c":32768,"d":65536,"e":2147483648,"f":4294967296},{"a":-129,"b":-1,"c":-32769,"d":-1,"e":-2147483649,"f":-1}]',
    expect: {
      rows: [
        [127, 255, 32767, 65535, 2147483647, 4294967295],
        [-128, 0, -32768, 0, -2147483648, 0],
        [null, null, null, null, null, null],
        [null, null, null, null, null, null],
      ],
      rejects: 12,
      rejectedIn: { a: 2, b: 2, c: 2, d: 2, e: 2, f: 2 },
    },
  },
  {
    title: 'takes whole numbers in any spelling',
    columns: { v: 'INTEGER' },
    answer: values(
      '42.0',
      '4.2e1',
      '420e-1',
      '"42"',
      '" +42 "',
      '"\\t42\\n"',
      '"0042"',
      '"-0"',
      '-0.0',
      '"42.000"',
      '"4.2E+1"',
    ),
    expect: { rows: column(42, 42, 42, 42, 42, 42, 42, 0, 0, 42, 42) },
  },
  {
    title: 'rejects fractions, words, separators and other bases',
    columns: { v: 'INTEGER' },
    answer: values(
      '1.5',
      '1e400',
      '1e-400',
      '"1,000"',
      '"1_000"',
      '"0x1F"',
      '"12abc"',
      '"1 2"',
      '"--1"',
      '"NaN"',
      '"Infinity"',
      '"one"',
      'true',
      '[]',
      '[1]',
      '{}',
    ),
    expect: { rowCount: 16, rejects: 16, rejectedIn: { v: 16 } },
  },
  {
    title: 'takes null, missing and blank text for null without a reject',
    columns: { v: 'INTEGER' },
    answer: '[{"v":null},{},{"v":""},{"v":"  "}]',
    expect: { rows: column(null, null, null, null) },
  },
  {
    title: 'does not round 2^53 + 1, nor digits of a fraction that is whole',
    columns: { v: 'BIGINT' },
    answer: values(
      '9007199254740993',
      '"9007199254740993.0"',
      '9007199254740993.0',
      '9.007199254740993e15',
      '1e18',
      '1E+18',
    ),
    expect: {
      rows: column(
        '9007199254740993',
        '9007199254740993',
        '9007199254740993',
        '9007199254740993',
        '1000000000000000000',
        '1000000000000000000',
      ),
    },
  },
  {
    title: 'rejects full-width and other digits',
    columns: { v: 'INTEGER' },
    answer: values('"４２"', '"٤٢"'),
    expect: { rows: column(null, null), rejects: 2, rejectedIn: { v: 2 } },
  },
])

testAnswers('floats', [
  {
    title: 'takes numbers, numeric text and the words of IEEE',
    columns: { v: 'DOUBLE' },
    answer: values(
      '1',
      '-1.5',
      '"2.5"',
      '" .5 "',
      '"5."',
      '1e-7',
      '"1E3"',
      '"NaN"',
      '"Infinity"',
      '"-Infinity"',
      '"inf"',
      '"nan"',
      '0',
      '"+7"',
    ),
    expect: {
      rows: column(1, -1.5, 2.5, 0.5, 5, 1e-7, 1000, 'NaN', 'Infinity', '-Infinity', 'Infinity', 'NaN', 0, 7),
    },
  },
  {
    title: 'rejects numbers beyond the largest and what is no number',
    columns: { v: 'DOUBLE' },
    answer: values('1e400', '"-1e400"', '"1,5"', '"abc"', 'true', '[]'),
    expect: { rowCount: 6, rejects: 6, rejectedIn: { v: 6 } },
  },
  {
    title: 'reads the NaN and Infinity of Python json amid rows',
    columns: { v: 'DOUBLE', id: 'INTEGER' },
    answer: '[{"id":1,"v":NaN},{"id":2,"v":Infinity},{"id":3,"v":-Infinity}]',
    expect: {
      rows: [
        ['NaN', 1],
        ['Infinity', 2],
        ['-Infinity', 3],
      ],
    },
  },
  {
    title: 'gives FLOAT the nearest value and rejects what is beyond it',
    columns: { v: 'FLOAT' },
    answer: values('1.5', '16777217', '1e39'),
    expect: { rows: column(1.5, 16777216, null), rejects: 1, rejectedIn: { v: 1 } },
  },
  {
    title: 'takes blank text for null',
    columns: { v: 'DOUBLE' },
    answer: values('""', '" "', 'null'),
    expect: { rows: column(null, null, null) },
  },
])

testAnswers('decimals', [
  {
    title: 'keeps every digit',
    columns: { v: 'DECIMAL(38,10)' },
    answer: values(
      '0.1',
      '19008.1',
      '1234567890123456789012345678.0123456789',
      '"-0.0000000001"',
      '1e-10',
      '5',
    ),
    expect: {
      rows: column(
        '0.1000000000',
        '19008.1000000000',
        '1234567890123456789012345678.0123456789',
        '-0.0000000001',
        '0.0000000001',
        '5.0000000000',
      ),
    },
  },
  {
    title: 'rejects digits beyond the scale unless they are zeros',
    columns: { v: 'DECIMAL(9,2)' },
    answer: values('1.234', '1.230', '"1.005"', '1e-3', '12345678.9', '9999999.99', '10000000'),
    expect: {
      rows: column(null, '1.23', null, null, null, '9999999.99', null),
      rejects: 5,
      rejectedIn: { v: 5 },
    },
  },
  {
    title: 'rounds half to even on request, and rejects what rounds out of range',
    columns: { v: { type: 'DECIMAL(4,2)', round: 'half_even' } },
    answer: values('1.005', '1.015', '1.0050001', '-1.005', '-1.015', '99.994', '99.995', '0.001'),
    expect: {
      rows: column('1.00', '1.02', '1.01', '-1.00', '-1.02', '99.99', null, '0.00'),
      rejects: 1,
      rejectedIn: { v: 1 },
    },
  },
  {
    title: 'takes numeric text with blanks, signs and exponents',
    columns: { v: 'DECIMAL(10,2)' },
    answer: values('" 12.5 "', '"+1"', '"-.5"', '"1.5e2"', '""', '"x"', '"1,50"', '"$5"'),
    expect: {
      rows: column('12.50', '1.00', '-0.50', '150.00', null, null, null, null),
      rejects: 3,
      rejectedIn: { v: 3 },
    },
  },
  {
    title: 'ends quickly on absurd exponents',
    columns: { v: 'DECIMAL(10,2)', w: 'BIGINT' },
    answer:
      '[{"v":1e999999999,"w":1e999999999},{"v":1e-999999999,"w":"1e-999999999"},{"v":0e999999999,"w":0e5}]',
    expect: {
      rows: [
        [null, null],
        [null, null],
        ['0.00', '0'],
      ],
      rejects: 4,
      rejectedIn: { v: 2, w: 2 },
    },
  },
  {
    title: 'takes DECIMAL alone and with one number',
    columns: { a: 'decimal(5)', b: 'Decimal( 6 , 3 )' },
    answer: '[{"a":12345,"b":123.456},{"a":1.5,"b":"x"}]',
    expect: {
      rows: [
        ['12345', '123.456'],
        [null, null],
      ],
      rejects: 2,
      types: { a: 'DECIMAL(5,0)', b: 'DECIMAL(6,3)' },
    },
  },
])

testAnswers('booleans', [
  {
    title: 'takes the words in any case with blanks around, and 0 and 1',
    columns: { v: 'BOOLEAN' },
    answer: values(
      'true',
      'false',
      '1',
      '0',
      '1.0',
      '"TRUE"',
      '"False"',
      '"t"',
      '"F"',
      '"Yes"',
      '"nO"',
      '"y"',
      '"N"',
      '"on"',
      '"OFF"',
      '"1"',
      '"0"',
      '" true "',
    ),
    expect: {
      rows: column(
        true,
        false,
        true,
        false,
        true,
        true,
        false,
        true,
        false,
        true,
        false,
        true,
        false,
        true,
        false,
        true,
        false,
        true,
      ),
    },
  },
  {
    title: 'rejects everything else; blank text is null',
    columns: { v: 'BOOLEAN' },
    answer: values('2', '-1', '0.5', '"2"', '"maybe"', '"wahr"', '"truee"', '[]', '{}', '""', 'null'),
    expect: { rowCount: 11, rejects: 9, rejectedIn: { v: 9 } },
  },
])
