import { deepStrictEqual, ok, strictEqual } from 'node:assert'

/** The behaviour that every response adapter should have, as checks for any test runner. */

/** A column that a hunt wants, as an adapter gets it. */
export interface AdapterField {
  /** What the source calls it. */
  source: string
  column: string
  type: string
}

type Rows = Iterable<object>

/** An adapter as users write it: the text of a page and the wanted columns → one object per row. */
export type Adapter = (text: string, fields: readonly AdapterField[]) => Rows | Promise<Rows>

export interface AdapterSample {
  name: string
  text: string
  fields?: readonly AdapterField[]
  /** The rows that must come, when they are to be compared. */
  rows?: readonly object[]
}

export interface AdapterSuiteOptions {
  /** Real answers of the tool; at least one. */
  samples: readonly AdapterSample[]
  /** An answer with so many rows. */
  grow?: (rows: number) => string
}

export interface AdapterCheck {
  /** A sentence that says what is checked. */
  name: string
  /** Rejects with an AssertionError when it does not hold. */
  check(): Promise<void>
}

const manyRows = 10_000
/** Many times what a linear parser needs for a megabyte on a slow machine. */
const limitMs = 2_000

/** What makes parsers slow or lets them crash: runs, nesting, quotes that do not close, strange characters. */
const hostilePieces = [
  'a',
  ' ',
  '\n',
  '"',
  "'",
  '\\',
  '|',
  '[',
  '{"a":',
  '(',
  ',',
  '<td>',
  '\0',
  '\ud800',
  '=',
  '1',
]
const hostileSizes = [16, 20, 24, 28, 32, 64, 256, 1_024, 10_000, 100_000]

/**
 * The checks of an adapter. Give them to any runner:
 *
 *     for (const { name, check } of adapterSuite(adapter, { samples, grow })) test(name, check)
 */
export function adapterSuite(adapter: Adapter, { samples, grow }: AdapterSuiteOptions): AdapterCheck[] {
  const read = async (text: string, fields: readonly AdapterField[] = []) => [
    ...(await adapter(text, fields)),
  ]
  /** Rows, or the error that says why there are none; anything else that is thrown does not tell a person anything. */
  const tryRead = async (text: string, fields?: readonly AdapterField[]): Promise<object[] | Error> => {
    try {
      return await read(text, fields)
    } catch (error) {
      ok(
        error instanceof Error && error.message !== '',
        `throws ${String(error)}, which is no Error with a message`,
      )
      return error
    }
  }
  return [
    ...samples.flatMap((sample) => sampleChecks(sample, read, tryRead)),
    {
      name: 'reads zero rows from a blank text, or says that it is blank',
      async check() {
        for (const text of ['', ' ', '\n\r\n']) {
          const rows = await tryRead(text)
          if (Array.isArray(rows))
            strictEqual(rows.length, 0, `rows from the blank text ${JSON.stringify(text)}`)
        }
      },
    },
    {
      name: 'answers a malformed text with rows or an Error that has a message',
      async check() {
        for (const text of [
          '\0\u0001',
          '}{',
          '<html><body>502 Bad Gateway</body></html>',
          '\ud800',
          'null',
          'x'.repeat(1_000),
        ])
          checkRows(await tryRead(text))
      },
    },
    ...hostilePieces.map((piece) => ({
      name: `ends in time on a long run of ${JSON.stringify(piece)}`,
      check: () => checkTime(piece, tryRead),
    })),
    ...(grow === undefined ? [] : [growCheck(grow, read)]),
  ]
}

type Read = (text: string, fields?: readonly AdapterField[]) => Promise<object[]>
type TryRead = (text: string, fields?: readonly AdapterField[]) => Promise<object[] | Error>

function sampleChecks(
  { name, text, fields, rows }: AdapterSample,
  read: Read,
  tryRead: TryRead,
): AdapterCheck[] {
  return [
    {
      name: `${name}: reads rows of JSON values`,
      async check() {
        const found = await read(text, fields)
        checkRows(found)
        if (rows !== undefined) deepStrictEqual(plain(found), plain(rows))
      },
    },
    {
      name: `${name}: reads the same rows again, and changes none of its input`,
      async check() {
        const frozen = Object.freeze((fields ?? []).map((field) => Object.freeze({ ...field })))
        const first = plain(await read(text, frozen))
        deepStrictEqual(plain(await read(text, frozen)), first)
      },
    },
    {
      name: `${name}: survives being cut off anywhere`,
      async check() {
        const whole = await read(text, fields)
        const step = Math.max(1, Math.floor(text.length / 200))
        for (let end = 0; end < text.length; end += step) {
          const found = await tryRead(text.slice(0, end), fields)
          checkRows(found)
          if (Array.isArray(found)) {
            ok(found.length <= whole.length, `cut at ${end}, the text has more rows than the whole one`)
          }
        }
      },
    },
  ]
}

function growCheck(grow: (rows: number) => string, read: Read): AdapterCheck {
  return {
    name: `reads ${manyRows} rows, all of them, in time`,
    async check() {
      const text = grow(manyRows)
      const startedAt = performance.now()
      const rows = await read(text)
      const ms = performance.now() - startedAt
      strictEqual(rows.length, manyRows, 'number of rows')
      ok(ms < 2 * limitMs, `${manyRows} rows took ${Math.round(ms)} ms`)
    },
  }
}

/** Small texts first: what is exponential is told apart from what merely takes long before it takes for ever. */
async function checkTime(piece: string, tryRead: TryRead): Promise<void> {
  for (const size of hostileSizes) {
    const text = piece.repeat(Math.ceil(size / piece.length))
    const startedAt = performance.now()
    await tryRead(text)
    const ms = performance.now() - startedAt
    ok(ms < limitMs, `${text.length} characters took ${Math.round(ms)} ms`)
  }
}

function checkRows(rows: object[] | Error): void {
  if (rows instanceof Error) return
  for (const [index, row] of rows.entries()) {
    const isObject = typeof row === 'object' && row !== null && !Array.isArray(row)
    ok(isObject, `row ${index + 1} is no object`)
    for (const [key, value] of row instanceof Map ? row : Object.entries(row)) {
      const isOdd = typeof value === 'function' || typeof value === 'symbol' || value instanceof Promise
      ok(!isOdd, `row ${index + 1}: ${String(key)} is a ${typeof value}, which has no place in a table`)
    }
  }
}

/** Rows to be compared: a class, a Map or a missing prototype makes no difference. */
function plain(rows: readonly object[]): object[] {
  return rows.map((row) => Object.fromEntries(row instanceof Map ? row : Object.entries(row)))
}
