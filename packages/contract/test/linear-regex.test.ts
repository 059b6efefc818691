import { cpuTime } from '@huntfleet/testing'
import { describe, expect, it } from 'vitest'
import { compileRegex } from '../src/linear-regex.ts'
import { RunError } from '../src/run-error.ts'

describe('compileRegex', () => {
  it('matches anywhere, gives groups and places', () => {
    const regex = compileRegex('use cursor: (\\S+)( please)?')
    expect(regex.test('now use cursor: X1')).toBe(true)
    expect(regex.match('now use cursor: X1')).toEqual(['use cursor: X1', 'X1', ''])
    expect(regex.find('now use cursor: X1')).toEqual([4, 18])
    expect(regex.test('nothing')).toBe(false)
    expect(regex.match('nothing')).toBeNull()
    expect(regex.find('nothing')).toBeNull()
  })

  it('takes inline flags', () => {
    expect(compileRegex('(?i)ERROR').test('an error')).toBe(true)
    expect(compileRegex('(?m)^b$').test('a\nb\nc')).toBe(true)
  })

  it.each(['(', '[a', '(a)\\1', '*'])('refuses %s and says why', (pattern) => {
    expect(() => compileRegex(pattern)).toThrow(RunError)
    expect(() => compileRegex(pattern)).toThrow(pattern)
  })

  it('takes linear time on a pattern that would explode elsewhere', () => {
    const spent = cpuTime()
    expect(compileRegex('^(a+)+$').test(`${'a'.repeat(20_000)}b`)).toBe(false)
    expect(spent()).toBeLessThan(3_000)
  })
})
