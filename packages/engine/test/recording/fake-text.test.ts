import { cpuTime } from '@huntfleet/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fakeText } from '../../src/recording/fake-text.ts'

const key = (seed: number) => new Uint8Array(32).fill(seed)
const fake = fakeText(key(1), ['host', 'Network Activity.dest_ip', 'a*b'])

describe('the fake of a text', () => {
  test.each([
    ['srv-17.corp.example', /^[a-z]{3}-1\d\.[a-z]{4}\.[a-z]{7}$/],
    ['Grace HOPPER', /^[A-Z][a-z]{4} [A-Z]{6}$/],
    ['2026-11-30T12:34:56.789Z', /^2026-11-30T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/],
    ['2026-11-05 23:59:59+02:00', /^2026-11-([01]\d|2[0-8]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d\+02:00$/],
    ['1764504000', /^1\d{9}$/],
    ['-0.25', /^-0\.\d\d$/],
    ['1.5e+300', /^1\.\de\+300$/],
    ['192.168.7.254', /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/],
    ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
    ['0xDEADBEEF01', /^0x[0-9A-F]{10}$/],
    ['d41d8cd98f00b204e9800998ecf8427e', /^[0-9a-f]{32}$/],
    ['00:1a:2b:3c:4d:5e', /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/],
    ['{"user": "ann", "n": 42}', /^\{"user": "[a-z]{3}", "n": 4\d\}$/],
    ['C:\\\\temp\\n"x"', /^[A-Z]:\\\\[a-z]{4}\\n"[a-z]"$/],
    ['日本語', /^[a-z]{3}$/],
  ])('of %s has its shape', (text, shape) => {
    expect(fake(text)).toMatch(shape)
    expect(fake(text)).not.toBe(text)
  })

  test.each([
    'No results found',
    'true',
    'rate limit exceeded',
    'Match Count: 7',
    'host',
    'Network Activity.dest_ip',
    'a*b',
    '... and 5 more rows',
    '---|||',
    '',
  ])('keeps what messages and tables are recognised by: %s', (text) => {
    expect(fake(text)).toBe(text)
  })

  test('is the same for the same text, another under another key', () => {
    expect(fakeText(key(1), [])('alice')).toBe(fake('alice'))
    expect(fakeText(key(2), [])('alice')).not.toBe(fake('alice'))
  })

  test.each([
    ['words', fc.stringMatching(/^[a-z]{1,12}$/)],
    ['numbers', fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String)],
    [
      'times',
      fc
        .date({ min: new Date(0), max: new Date(2e12), noInvalidDate: true })
        .map((date) => date.toISOString()),
    ],
    ['addresses', fc.ipV4()],
    ['ids', fc.uuid()],
    ['cursors', fc.base64String({ minLength: 8 })],
  ])('keeps different %s different', (_, values) => {
    fc.assert(
      fc.property(fc.uniqueArray(values, { minLength: 2, maxLength: 40 }), (texts) => {
        expect(new Set(texts.map(fake)).size).toBe(texts.length)
      }),
    )
  })

  test.each([
    '"'.repeat(100_000),
    '\\'.repeat(100_000),
    '1'.repeat(100_000),
    'a1'.repeat(50_000),
    '1.'.repeat(50_000),
    'é'.repeat(50_000),
    '"a\\"'.repeat(25_000),
  ])('of a hostile text comes in linear time', (text) => {
    const spent = cpuTime()
    fakeText(key(3), ['x'])(text)
    expect(spent()).toBeLessThan(5_000)
  })
})
