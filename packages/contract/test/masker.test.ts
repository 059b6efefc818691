import { cpuTime } from '@huntfleet/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../src/json-value.ts'
import { createMasker, maskText } from '../src/masker.ts'

const masker = (...values: string[]) =>
  createMasker(values.map((value, index) => ({ name: `S${index}`, value })))
const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64')

describe('Masker', () => {
  const secret = 'pa/ss "wörd"&+<x>'

  it.each<[string, string]>([
    ['plain', secret],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded in lower case', encodeURIComponent(secret).replace(/%../g, (found) => found.toLowerCase())],
    ['form-encoded', new URLSearchParams({ k: secret }).toString().slice(2)],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in JSON inside JSON', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['in JSON as Python writes it', JSON.stringify(secret).slice(1, -1).replace('ö', '\\u00f6')],
    ['in base64', base64(secret)],
    ['in base64url', Buffer.from(secret, 'utf8').toString('base64url')],
  ])('hides a secret %s', (_, form) => {
    expect(masker(secret).mask(`before ${form} after`)).toBe('before *** after')
  })

  it.each([0, 1, 2, 3, 4, 5])('hides a secret in the base64 of a longer text at byte %d', (shift) => {
    const value = 'k9?>~secret-value'
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = Buffer.from(`${'u'.repeat(shift)}${value}:tail`, 'utf8').toString(encoding)
      const masked = masker(value).mask(text)
      expect(masked).toContain(maskText)
      expect(masked.length).toBeLessThan(text.length - value.length)
    }
  })

  it('hides basic credentials that were added whole', () => {
    const basic = masker('hunter22', 'kim:hunter22')
    expect(basic.mask(`Authorization: Basic ${base64('kim:hunter22')}`)).toBe('Authorization: Basic ***')
  })

  it('leaves no rest of secrets that overlap or contain each other', () => {
    expect(masker('abcdef', 'efghij', 'cdef').mask('x abcdefghij x cdef')).toBe('x *** x ***')
  })

  it('masks secrets that are added later', () => {
    const growing = masker('first-secret')
    expect(growing.mask('first-secret second-secret')).toBe('*** second-secret')
    growing.add('SECOND', 'second-secret')
    expect(growing.mask('first-secret second-secret')).toBe('*** ***')
  })

  it('hides a secret that is itself the encoded form of another', () => {
    const both = masker('first-secret', base64('first-secret'))
    expect(both.mask(base64(base64('first-secret')))).toBe(maskText)
  })

  it('masks keys, values and numbers of JSON and loses no entry', () => {
    const value: Json = {
      'k-secret1': 'x secret1',
      'k-secret1!': [12_345_678, 5, true, null],
      deep: { secret1: 1, secret2: 2 },
    }
    expect(masker('secret1', 'secret2', '12345678').maskJson(value)).toEqual({
      'k-***': 'x ***',
      'k-***!': [maskText, 5, true, null],
      deep: { '***': 1, '***_2': 2 },
    })
  })

  it('lists short secrets and does not mask the shortest', () => {
    const short = createMasker([
      { name: 'TINY', value: 'abc' },
      { name: 'SHORT', value: 'abcdefg' },
      { name: 'FINE', value: 'abcdefgh' },
      { name: 'EMPTY', value: '' },
    ])
    expect(short.tooShort()).toEqual([
      { name: 'TINY', masked: false },
      { name: 'SHORT', masked: true },
    ])
    expect(short.mask('abc ABC')).toBe('abc ABC')
    expect(short.mask('xabcdefgx')).toBe('x***x')
  })

  it('never lets a secret through', () => {
    const text = fc.string({ unit: fc.constantFrom('*', 'a', 'b', '"', '%') })
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), text, (before, secrets, after) => {
        const masked = masker(...secrets).mask(`${before}${secrets.join('*')}${after}`)
        for (const value of secrets) if (value.length >= 4) expect(masked).not.toContain(value)
      }),
      { numRuns: 500 },
    )
  })

  it('never lets an arbitrary secret through', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string({ minLength: 4, unit: 'binary' }),
        fc.string(),
        (before, value, after) => {
          expect(masker(value).mask(before + value + after)).not.toContain(value)
        },
      ),
    )
  })

  it('leaves texts without secrets alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', ' ') }), (text) => {
        expect(masker('secret-value').mask(text)).toBe(text)
      }),
    )
  })

  it('masks long hostile texts in linear time', () => {
    const spent = cpuTime()
    const hostile = masker('a'.repeat(2_000), `${'a'.repeat(2_000)}b`, '**aa', 'aa**')
    expect(hostile.mask('a'.repeat(1_000_000))).toBe(maskText)
    expect(hostile.mask(`${'**'}${'aa'.repeat(1_000)}`)).not.toContain('**aa')
    expect(hostile.mask('x'.repeat(2_000_000))).toHaveLength(2_000_000)
    expect(spent()).toBeLessThan(10_000)
  })
})
