import fc from 'fast-check'

/** JSON values as a source may spell them. */
const spelling: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('null', 'true', 'false', '0', '1', '-0', '1.0', '42', '1e2', '1e400', '-7'),
  },
  fc.constantFrom('9007199254740993', '12345678901234567890', '0.99999999999999999999', '1e-400', '4.20'),
  fc.constantFrom('999999999999999', '1000000000000000', '-123456789012345', '0.123456789012345', '-0.0'),
  fc.constantFrom('1700000000', '1700000000.5', '1700000000123', '1700000000.123456', '20260102', '{}', '[]'),
  fc.constantFrom(
    '"2026-02-03T04:05:06Z"',
    '"2026-02-03 04:05"',
    '"04:05:06"',
    '"1.5"',
    '" 7 "',
    '"yes"',
    '""',
  ),
  fc.constantFrom(
    '"2026-02-03T04:05:06.123456Z"',
    '"1969-12-31T23:59:59.5Z"',
    '"9999-12-31T23:59:59Z"',
    '"-"',
  ),
  fc.constantFrom(
    '"\\ud800"',
    '"\ud83d\\ude00"',
    '"\\ud83d\\ude00"',
    '"\\uD83Dx"',
    '"NaN"',
    '"0x1f"',
    '"{}"',
  ),
  fc.constantFrom('"C:\\\\Windows\\\\x.exe \\"-a\\""', '"\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac"', '"ä€😀"'),
  fc.constantFrom(
    '["a",null,"\\udc00"]',
    '[1,2.50]',
    '[1,9007199254740993]',
    '[[1]]',
    '{"a":1.0}',
    '[true,1e3]',
  ),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify(text)),
  fc.uuid().map((text) => JSON.stringify(text)),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
)

/** Keys of the rows; the last ones as a source may spell them. */
export const rowKeys = ['a', 'b', 'c', '10', '__proto__', 'toString', 'n.x', 'n', '\ufffd', 'ä']
const keyTexts = [...rowKeys.map((key) => JSON.stringify(key)), '"\\ud800"', '"\\u0061"', '""']

const blank = fc.constantFrom('', '', '', ' ', '\n  ', '\t\r\n')

const member = fc
  .tuple(
    blank,
    fc.constantFrom(...keyTexts),
    blank,
    blank,
    fc.oneof(
      { weight: 4, arbitrary: spelling },
      fc.tuple(fc.constantFrom('"x"', '"y"'), spelling).map((pair) => `{${pair.join(':')}}`),
    ),
    blank,
  )
  .map(([before, key, behind, space, value, end]) => `${before}${key}${behind}:${space}${value}${end}`)

/** The text of an object: keys in any order, some of them twice. */
export const rowText: fc.Arbitrary<string> = fc
  .tuple(fc.array(member, { maxLength: 7 }), blank)
  .map(([members, end]) => `{${members.length === 0 ? end : members.join(',')}}`)

/** The texts of rows: most have the keys and the spacing of the others. */
export const rowTexts: fc.Arbitrary<string[]> = fc.oneof(
  fc.array(rowText, { maxLength: 8 }),
  fc
    .tuple(fc.uniqueArray(fc.constantFrom(...rowKeys), { minLength: 1 }), fc.constantFrom(':', ': '))
    .chain(([keys, colon]) =>
      fc.array(
        fc
          .array(spelling, { minLength: keys.length, maxLength: keys.length })
          .map(
            (values) => `{${keys.map((key, at) => `${JSON.stringify(key)}${colon}${values[at]}`).join(',')}}`,
          ),
        { maxLength: 30 },
      ),
    ),
)
