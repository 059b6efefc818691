import { describe, expect, it } from 'vitest'
import { didYouMean, unknownName } from '../src/did-you-mean.ts'

describe('didYouMean', () => {
  it.each([
    ['lookbak', ['index', 'lookback'], 'lookback'],
    ['hihg', ['low', 'medium', 'high'], 'high'],
    ['END_TMIE', ['start_time', 'end_time'], 'end_time'],
    ['jion', ['sql', 'join'], 'join'],
    ['ab', ['xy', 'ac'], 'ac'],
  ])('finds what %j stands for', (word, known, meant) => {
    expect(didYouMean(word, known)).toBe(meant)
  })

  it.each([
    ['user', ['host', 'severity']],
    ['', ['host']],
    ['x', []],
  ])('suggests nothing for %j among %j', (word, known) => {
    expect(didYouMean(word, known)).toBeUndefined()
  })

  it('prefers the nearest name', () => {
    expect(didYouMean('severty', ['severely', 'severity'])).toBe('severity')
  })

  it('does not compare hostile lengths', () => {
    const long = 'a'.repeat(1_000_000)
    expect(didYouMean(long, [`${long}b`])).toBeUndefined()
  })
})

describe('unknownName', () => {
  it('lists the known names and suggests one', () => {
    expect(unknownName('filter', 'jion', ['join', 'json'])).toBe(
      'unknown filter "jion"; did you mean "join"? (known: join, json)',
    )
  })

  it('says when there is no name at all', () => {
    expect(unknownName('parameter', 'x', [])).toBe('unknown parameter "x" (there are none)')
  })

  it('keeps the message readable whatever the names are', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `name_${index}`)
    expect(unknownName('parameter', 'x'.repeat(10_000), many).length).toBeLessThan(500)
  })
})
