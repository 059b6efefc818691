import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMasker } from '../src/masker.ts'

describe('a secret that a cut went through', () => {
  const masker = createMasker([{ name: 'token', value: 'hunter2-correct-horse' }])

  it.each([
    ['before the cut', 'answer: Bearer hunter2-corr…', 'answer: Bearer ***…'],
    ['behind the cut', '…rrect-horse" was refused', '…***" was refused'],
    ['on both sides', '…ect-horse and hunter2-…', '…*** and ***…'],
    [
      'in its base64 form',
      `…${Buffer.from('hunter2-correct-horse').toString('base64').slice(8)} said`,
      '…*** said',
    ],
  ])('is masked %s', (_, text, masked) => {
    expect(masker.mask(text)).toBe(masked)
  })

  it('is taken for a word where fewer than six of its characters are left', () => {
    expect(masker.mask('the hunte… horse')).toBe('the hunte… horse')
    expect(masker.mask('the hunter… horse')).toBe('the ***… horse')
  })

  it('never shows six characters of it beside a cut, wherever the cut is', () => {
    const secret = 'S3cr3t/with+signs=and-more'
    const one = createMasker([{ name: 's', value: secret }])
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: secret.length - 1 }),
        fc.string({ unit: 'grapheme' }),
        (at, around) => {
          const before = one.mask(`${around} ${secret.slice(0, at)}…`)
          const behind = one.mask(`…${secret.slice(at)} ${around}`)
          if (at >= 6) expect(before.endsWith(`${secret.slice(0, 6)}…`)).toBe(false)
          if (at >= 6) expect(before).not.toContain(`${secret.slice(0, at)}…`)
          if (secret.length - at >= 6) expect(behind).not.toContain(`…${secret.slice(at)}`)
        },
      ),
    )
  })
})
