import { describe, expect, it } from 'vitest'
import { printable } from '../src/printable.ts'

describe('printable', () => {
  it.each([
    ['plain ünï 😀', 'plain ünï 😀'],
    ['\u001b[2J\r\n', '\\u{1b}[2J\\u{d}\\u{a}'],
    ['a\u202eb\u200b', 'a\\u{202e}b\\u{200b}'],
    ['\ud800', '\\u{d800}'],
    ['\u2028', '\\u{2028}'],
  ])('shows %j as %j', (text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  it('cuts what is long', () => {
    expect(printable('x'.repeat(1000))).toBe(`${'x'.repeat(300)}…`)
  })
})
