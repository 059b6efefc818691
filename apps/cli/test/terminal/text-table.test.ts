import { describe, expect, it } from 'vitest'
import { textTable } from '../../src/terminal/text-table.ts'

describe('a table of text', () => {
  it('aligns its columns and has no trailing blanks', () => {
    expect(
      textTable(
        ['a', 'long'],
        [
          ['1', 'x'],
          ['22', ''],
        ],
      ),
    ).toBe('a   long\n--  ----\n1   x\n22')
  })

  it('keeps a row on one line and escapes controls', () => {
    expect(textTable(['a'], [['x\r\n\ty'], ['\u001b[2J']])).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
    expect(textTable(['a'], [['x\ny']]).split('\n')).toHaveLength(3)
  })

  it('cuts cells only when asked to', () => {
    expect(textTable(['a'], [['x'.repeat(50)]]).split('\n')[2]).toHaveLength(50)
    expect(textTable(['a'], [['x'.repeat(50)]], 10).split('\n')[2]).toBe(`${'x'.repeat(9)}…`)
  })

  it('without rows is a header', () => {
    expect(textTable(['a', 'b'], [])).toBe('a  b\n-  -')
  })
})
