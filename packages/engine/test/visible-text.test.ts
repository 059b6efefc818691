import { describe, expect, it } from 'vitest'
import { excerpt, visibleText } from '../src/visible-text.ts'

describe('visibleText', () => {
  it('escapes what a terminal obeys and what an eye cannot see', () => {
    expect(visibleText('a\u0000\n\u001b[2J\u202e\u200b\u2028b', 100)).toBe(
      'a\\u0000\\n\\u001b[2J\\u202e\\u200b\\u2028b',
    )
  })

  it('leaves ordinary text alone and cuts long text', () => {
    expect(visibleText('café 漢 😀', 100)).toBe('café 漢 😀')
    expect(visibleText('abcdef', 3)).toBe('abc…')
    expect(visibleText('ab😀', 3).isWellFormed()).toBe(true)
  })
})

describe('excerpt', () => {
  it('quotes a trimmed piece', () => {
    expect(excerpt('  hello\n')).toBe('"hello"')
  })
})
