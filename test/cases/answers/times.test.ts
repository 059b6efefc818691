import { testAnswers } from './test-answers.ts'

const values = (...texts: string[]) => `[${texts.map((text) => `{"v":${text}}`).join(',')}]`
const column = (...cells: (string | null)[]) => cells.map((cell) => [cell])

testAnswers('timestamps', [
  {
    title: 'reads RFC 3339 with any offset, and its relatives',
    columns: { v: 'TIMESTAMP' },
    answer: values(
      '"2026-04-05T06:07:08Z"',
      '"2026-04-05T06:07:08.9+02:00"',
      '"2026-04-05t06:07:08.123456z"',
      '"2026-04-05 06:07:08"',
      '"2026-04-05T06:07:08-0330"',
      '"2026-04-05T06:07"',
      '"2026-04-05"',
      '"2026-04-05T06:07:08.123456789Z"',
      '"2026-04-05T06:07:08+00"',
      '" 2026-04-05T06:07:08Z "',
      '"2026-04-05T06:07:08,5Z"',
      '"2026-04-05 06:07:08 UTC"',
      '"2026-04-05T23:59:59+23:59"',
    ),
    expect: {
      rows: column(
        '2026-04-05T06:07:08.000000Z',
        '2026-04-05T04:07:08.900000Z',
        '2026-04-05T06:07:08.123456Z',
        '2026-04-05T06:07:08.000000Z',
        '2026-04-05T09:37:08.000000Z',
        '2026-04-05T06:07:00.000000Z',
        '2026-04-05T00:00:00.000000Z',
        '2026-04-05T06:07:08.123456Z',
        '2026-04-05T06:07:08.000000Z',
        '2026-04-05T06:07:08.000000Z',
        '2026-04-05T06:07:08.500000Z',
        '2026-04-05T06:07:08.000000Z',
        '2026-04-05T00:00:59.000000Z',
      ),
    },
  },
  {
    title: 'cuts fractions toward the earlier microsecond, before 1970 too',
    columns: { v: 'TIMESTAMPTZ' },
    answer: values(
      '"1969-12-31T23:59:59.9999999Z"',
      '"1960-01-01T00:00:00.0000019Z"',
      '"2026-01-01T00:00:00.9999999Z"',
    ),
    expect: {
      rows: column(
        '1969-12-31T23:59:59.999999Z',
        '1960-01-01T00:00:00.000001Z',
        '2026-01-01T00:00:00.999999Z',
      ),
    },
  },
  {
    title: 'tells seconds, milliseconds, microseconds and nanoseconds by magnitude',
    columns: { v: 'TIMESTAMP' },
    answer: values(
      '1775369228',
      '1775369228123',
      '1775369228123456',
      '1775369228123456789',
      '"1775369228"',
      '"1775369228123456789"',
      '100000000',
      '99999999999',
      '100000000000',
    ),
    expect: {
      rows: column(
        '2026-04-05T06:07:08.000000Z',
        '2026-04-05T06:07:08.123000Z',
        '2026-04-05T06:07:08.123456Z',
        '2026-04-05T06:07:08.123456Z',
        '2026-04-05T06:07:08.000000Z',
        '2026-04-05T06:07:08.123456Z',
        '1973-03-03T09:46:40.000000Z',
        '5138-11-16T09:46:39.000000Z',
        '1973-03-03T09:46:40.000000Z',
      ),
    },
  },
  {
    title: 'keeps microseconds of fractional seconds and milliseconds',
    columns: { v: 'TIMESTAMP' },
    answer: values(
      '1775369228.123456',
      '"1775369228.000001"',
      '1775369228123.456',
      '1775369228.1234567',
      '1.775369228e9',
      '-1775369228',
    ),
    expect: {
      rows: column(
        '2026-04-05T06:07:08.123456Z',
        '2026-04-05T06:07:08.000001Z',
        '2026-04-05T06:07:08.123456Z',
        '2026-04-05T06:07:08.123456Z',
        '2026-04-05T06:07:08.000000Z',
        '1913-09-28T17:52:52.000000Z',
      ),
    },
  },
  {
    title: 'rejects numbers too small to tell their unit, and what is no time',
    columns: { v: 'TIMESTAMP' },
    answer: values(
      '12345',
      '0',
      '"yesterday"',
      '"2026-02-30T00:00:00Z"',
      '"2026-13-01"',
      '"2026-04-05T25:00:00Z"',
      '"2026-04-05T06:60:00Z"',
      '"04/05/2026"',
      '"12:30:00"',
      'true',
      '[]',
      '"2026-04-05T06:07:08+24:00"',
      '"20260405"',
      '"2026-04-05T06:07:08Zjunk"',
    ),
    expect: { rowCount: 14, rejects: 14, rejectedIn: { v: 14 } },
  },
  {
    title: 'takes leap days and rejects those that are none',
    columns: { v: 'TIMESTAMP' },
    answer: values('"2028-02-29T00:00:00Z"', '"2026-02-29T00:00:00Z"', '"2000-02-29"', '"1900-02-29"'),
    expect: {
      rows: column('2028-02-29T00:00:00.000000Z', null, '2000-02-29T00:00:00.000000Z', null),
      rejects: 2,
    },
  },
  {
    title: 'takes blank text for null',
    columns: { v: 'TIMESTAMP' },
    answer: values('""', '" "', 'null'),
    expect: { rows: column(null, null, null) },
  },
  {
    title: 'reads small numbers by the unit of the column',
    columns: {
      s: { type: 'TIMESTAMP', format: 's' },
      ms: { type: 'TIMESTAMP', format: 'ms' },
      us: { type: 'TIMESTAMP', format: 'us' },
      ns: { type: 'TIMESTAMP', format: 'ns' },
    },
    answer:
      '[{"s":1,"ms":1,"us":1,"ns":1000},{"s":"0","ms":"1500","us":"-1","ns":"1999"},{"s":1.5,"ms":0.25,"us":1.9,"ns":1775369228123456789}]',
    expect: {
      rows: [
        [
          '1970-01-01T00:00:01.000000Z',
          '1970-01-01T00:00:00.001000Z',
          '1970-01-01T00:00:00.000001Z',
          '1970-01-01T00:00:00.000001Z',
        ],
        [
          '1970-01-01T00:00:00.000000Z',
          '1970-01-01T00:00:01.500000Z',
          '1969-12-31T23:59:59.999999Z',
          '1970-01-01T00:00:00.000001Z',
        ],
        [
          '1970-01-01T00:00:01.500000Z',
          '1970-01-01T00:00:00.000250Z',
          '1970-01-01T00:00:00.000001Z',
          '2026-04-05T06:07:08.123456Z',
        ],
      ],
    },
  },
  {
    title: 'rejects written times where the column has a unit',
    columns: { v: { type: 'TIMESTAMP', format: 's' } },
    answer: values('"2026-04-05T06:07:08Z"', '1775369228'),
    expect: { rows: column(null, '2026-04-05T06:07:08.000000Z'), rejects: 1 },
  },
  {
    title: 'reads patterns of letters',
    columns: { v: { type: 'TIMESTAMP', format: 'dd/MM/yyyy HH:mm:ss' } },
    answer: values('"05/04/2026 06:07:08"', '"5/4/2026 6:07:08"', '"2026-04-05T06:07:08Z"'),
    expect: { rows: column('2026-04-05T06:07:08.000000Z', '2026-04-05T06:07:08.000000Z', null), rejects: 1 },
  },
  {
    title: 'reads patterns of percent signs, month names and zones',
    columns: { v: { type: 'TIMESTAMP', format: '%d/%b/%Y:%H:%M:%S %z' } },
    answer: values(
      '"05/Apr/2026:06:07:08 +0200"',
      '"05/APR/2026:06:07:08 -0000"',
      '"05/Foo/2026:06:07:08 +0200"',
    ),
    expect: { rows: column('2026-04-05T04:07:08.000000Z', '2026-04-05T06:07:08.000000Z', null), rejects: 1 },
  },
  {
    title: 'reads halves of the day and fractions by pattern',
    columns: { v: { type: 'TIMESTAMP', format: 'MMM d, yyyy hh:mm:ss.SSS a' } },
    answer: values('"Apr 5, 2026 06:07:08.250 PM"', '"Apr 15, 2026 12:00:00.000 AM"'),
    expect: { rows: column('2026-04-05T18:07:08.250000Z', '2026-04-15T00:00:00.000000Z') },
  },
  {
    title: 'puts times without a zone into the zone of the column, and only those',
    columns: {
      v: { type: 'TIMESTAMP', timezone: 'Europe/Berlin' },
      w: { type: 'TIMESTAMP', timezone: '+05:30' },
    },
    binding: { field_map: { w: 'v' } },
    answer: values(
      '"2026-01-15 12:00:00"',
      '"2026-07-15 12:00:00"',
      '"2026-07-15T12:00:00Z"',
      '1775369228',
      '"2026-07-15"',
    ),
    expect: {
      rows: [
        ['2026-01-15T11:00:00.000000Z', '2026-01-15T06:30:00.000000Z'],
        ['2026-07-15T10:00:00.000000Z', '2026-07-15T06:30:00.000000Z'],
        ['2026-07-15T12:00:00.000000Z', '2026-07-15T12:00:00.000000Z'],
        ['2026-04-05T06:07:08.000000Z', '2026-04-05T06:07:08.000000Z'],
        ['2026-07-14T22:00:00.000000Z', '2026-07-14T18:30:00.000000Z'],
      ],
    },
  },
  {
    title: 'reads the years 0001 to 9999 and no others',
    columns: { v: 'TIMESTAMP' },
    answer: values(
      '"0001-01-01T00:00:00Z"',
      '"9999-12-31T23:59:59.999999Z"',
      '"0000-01-01T00:00:00Z"',
      '"10000-01-01T00:00:00Z"',
      '"9999-12-31T23:59:59-01:00"',
    ),
    expect: {
      rows: column('0001-01-01T00:00:00.000000Z', '9999-12-31T23:59:59.999999Z', null, null, null),
      rejects: 3,
    },
  },
  {
    title: 'drops rows whose time does not fit on request',
    columns: { id: 'INTEGER', v: 'TIMESTAMP' },
    binding: { on_reject: 'drop_row' },
    answer: '[{"id":1,"v":"2026-04-05"},{"id":2,"v":"soon"},{"id":3,"v":null}]',
    expect: {
      rows: [
        [1, '2026-04-05T00:00:00.000000Z'],
        [3, null],
      ],
      rejects: 1,
      dropped: 1,
      rejectedIn: { v: 1 },
    },
  },
])

testAnswers('dates and times of day', [
  {
    title: 'reads dates, the day in UTC of times with an offset, and epoch numbers',
    columns: { v: 'DATE' },
    answer: values(
      '"2026-04-05"',
      '"2026-04-05T23:30:00-02:00"',
      '"2026-04-05 23:59:59"',
      '1775369228',
      '1775369228123',
      '"1970-01-01"',
      '"1969-12-31"',
      '""',
    ),
    expect: {
      rows: column(
        '2026-04-05',
        '2026-04-06',
        '2026-04-05',
        '2026-04-05',
        '2026-04-05',
        '1970-01-01',
        '1969-12-31',
        null,
      ),
    },
  },
  {
    title: 'rejects what is no day',
    columns: { v: 'DATE' },
    answer: values('"2026-02-29"', '"05.04.2026"', '"12:30:00"', '20260405', 'true'),
    expect: { rowCount: 5, rejects: 5, rejectedIn: { v: 5 } },
  },
  {
    title: 'reads dates by pattern',
    columns: { v: { type: 'DATE', format: 'dd.MM.yyyy' }, w: { type: 'DATE', format: '%m/%d/%y' } },
    answer: '[{"v":"05.04.2026","w":"04/05/26"},{"v":"31.02.2026","w":"x"}]',
    expect: {
      rows: [
        ['2026-04-05', '2026-04-05'],
        [null, null],
      ],
      rejects: 2,
    },
  },
  {
    title: 'reads times of day, with fractions, and the time in UTC of whole times',
    columns: { v: 'TIME' },
    answer: values(
      '"06:07:08"',
      '"06:07"',
      '"06:07:08.1234567"',
      '"23:59:59.999999"',
      '"2026-04-05T06:07:08+02:00"',
      '1775369228',
      '"00:00:00"',
    ),
    expect: {
      rows: column(
        '06:07:08.000000',
        '06:07:00.000000',
        '06:07:08.123456',
        '23:59:59.999999',
        '04:07:08.000000',
        '06:07:08.000000',
        '00:00:00.000000',
      ),
    },
  },
  {
    title: 'rejects what is no time of day',
    columns: { v: 'TIME' },
    answer: values('"25:00:00"', '"06:60"', '"noon"', '"2026-04-05"', '[]'),
    expect: { rowCount: 5, rejects: 5, rejectedIn: { v: 5 } },
  },
])
