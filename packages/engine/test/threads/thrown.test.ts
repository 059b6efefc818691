import { errorCodes, RunError } from '@huntfleet/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packThrown, unpackThrown } from '../../src/threads/thrown.ts'

const cross = (thrown: unknown) => unpackThrown(structuredClone(packThrown(thrown)))

describe('an error that crosses between threads', () => {
  test('keeps its code, message, context and the words of its cause', () => {
    const context = fc.record({
      table: fc.string(),
      page: fc.nat(),
      retryAfterMs: fc.nat(),
      hint: fc.string(),
    })
    fc.assert(
      fc.property(
        fc.constantFrom(...errorCodes),
        fc.string(),
        context,
        fc.string(),
        (code, text, where, why) => {
          const error = new RunError(code, text, where, new RangeError(why))
          const crossed = cross(error)
          expect(crossed).toBeInstanceOf(RunError)
          expect(JSON.stringify(crossed)).toBe(JSON.stringify(error))
          expect(crossed.message).toBe(text)
          expect(crossed.cause).toMatchObject({ name: 'RangeError', message: why })
        },
      ),
    )
  })

  test('stays what it was when it is no RunError', () => {
    expect(cross(new TypeError('x is not a function'))).toMatchObject({
      name: 'TypeError',
      message: 'x is not a function',
    })
    expect(cross('words')).toMatchObject({ message: 'words' })
  })

  test('crosses even if it is its own cause', () => {
    const error = new Error('round')
    error.cause = error
    expect(cross(error).message).toBe('round')
  })
})
