import { createMasker, RunError } from '@huntfleet/contract'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createOutput, escapeControls, placeOf } from '../../src/terminal/output.ts'

afterEach(() => vi.restoreAllMocks())

function captured() {
  const lines = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      lines[name] += String(chunk)
      return true
    })
  }
  return lines
}

const masker = createMasker([{ name: 's', value: 'hunter2hunter2' }])

describe('what reaches a terminal', () => {
  it('has no control characters but line feeds and tabs', () => {
    expect(escapeControls('a\u001b[31mb\rc\u0007\u009b2J\u007f\n\td')).toBe(
      'a\\x1b[31mb\\x0dc\\x07\\x9b2J\\x7f\n\td',
    )
  })

  it('goes to stdout when it is a result, else to stderr, with secrets masked', () => {
    const lines = captured()
    const output = createOutput(masker, false)
    output.print('result \u001b hunter2hunter2')
    output.note('note hunter2hunter2')
    output.warn({ file: 'f.yaml', line: 2, column: 3, message: 'odd' })
    expect(lines).toEqual({ stdout: 'result \\x1b ***\n', stderr: 'note ***\nwarning: f.yaml:2:3: odd\n' })
  })

  it('is JSON without raw controls, which reads back as it was', () => {
    const lines = captured()
    const value = { a: 'x\u001b\u007f\u009b\u2028é' }
    createOutput(masker, true).printJson(value)
    expect(lines.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    expect(JSON.parse(lines.stdout)).toEqual(value)
  })
})

describe('an error', () => {
  const issues = [
    { message: 'first', file: 'f.yaml', line: 1, column: 2 },
    { message: 'second \u001b', file: 'f.yaml', line: 3, column: 4 },
  ]

  it('names every issue with its place, its code and what to do', () => {
    const lines = captured()
    createOutput(masker, false).fail(
      new RunError('BINDING_INVALID', 'first (and 1 more)', { issues, hint: 'mend it', table: 't' }),
    )
    expect(lines).toEqual({
      stdout: '',
      stderr:
        'error: f.yaml:1:2: first\nerror: f.yaml:3:4: second \\x1b\n  BINDING_INVALID, table t\n  mend it\n',
    })
  })

  it('is one JSON document on stdout with --json', () => {
    const lines = captured()
    createOutput(masker, true).fail(new RunError('TOOL_FAILED', 'said hunter2hunter2', { table: 't' }))
    expect(lines.stderr).toBe('')
    expect(JSON.parse(lines.stdout)).toEqual({
      error: { code: 'TOOL_FAILED', kind: 'tool', message: 'said ***', table: 't' },
    })
  })

  it.each([
    [{ file: 'f', line: 1, column: 2 }, 'f:1:2: '],
    [{ file: 'f', line: 1 }, 'f:1: '],
    [{ file: 'f' }, 'f: '],
    [{}, ''],
  ])('at %j stands at %j', (place, text) => {
    expect(placeOf(place)).toBe(text)
  })
})
