import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coerced, rejected, testRules } from './coercion-table.ts'
import { columnSpec } from './column-spec.ts'

const hello = new TextEncoder().encode('hello')

describe('bytes', () => {
  testRules('BLOB', [
    ['"aGVsbG8="', hello],
    ['"aGVsbG8"', hello],
    ['"aGVs\\r\\nbG8="', hello],
    ['"+/8="', Uint8Array.of(0xfb, 0xff)],
    ['"-_8"', Uint8Array.of(0xfb, 0xff)],
    ['"0x68656c6c6f"', hello],
    ['"0X68656C6C6F"', hello],
    ['"0x"', Uint8Array.of()],
    ['""', Uint8Array.of()],
    // Base64 that happens to start like hex.
    ['"0xyz"', Uint8Array.of(0xd3, 0x1c, 0xb3)],
    ['null', null],
    ['"0x123"', rejected('is neither base64 nor hex')],
    ['"aGVsbG9="', rejected()],
    ['"aGVsbG8=="', rejected()],
    ['"aGVsb"', rejected()],
    ['"====" ', rejected()],
    ['"="', rejected()],
    ['"not base64!"', rejected()],
    ['"é"', rejected()],
    ['12', rejected('12 is neither')],
    ['[1,2]', rejected()],
  ])

  test('all bytes come back from base64, base64url and hex', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const buffer = Buffer.from(bytes)
        for (const text of [
          buffer.toString('base64'),
          buffer.toString('base64url'),
          buffer.toString('base64').replaceAll('=', ''),
          `0x${buffer.toString('hex')}`,
        ]) {
          // One base64 text in 4,096 looks like hex as well, and hex it is then.
          fc.pre(text.startsWith('0x') === (text === `0x${buffer.toString('hex')}`))
          expect(coerced(columnSpec('BLOB'), text)).toEqual(bytes)
        }
      }),
    )
  })
})
