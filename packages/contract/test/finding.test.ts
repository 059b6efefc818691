import { describe, expect, it } from 'vitest'
import { type Finding, findingAt, sortFindings, throwOnErrors } from '../src/finding.ts'
import { RunError } from '../src/run-error.ts'
import { parseYamlFile } from '../src/yaml-file.ts'

const finding = (
  file: string,
  line: number,
  column: number,
  severity: Finding['severity'] = 'error',
): Finding => ({
  ...{ severity, file, line, column },
  code: 'BINDING_INVALID',
  message: `${file} ${line} ${column} ${severity}`,
})

function thrownBy(findings: Finding[]): unknown {
  try {
    throwOnErrors(findings)
    return undefined
  } catch (error) {
    return error
  }
}

describe('findings', () => {
  it('are sorted by place within a file, files in the order they came, errors before warnings', () => {
    const findings = [
      finding('contract.yaml', 9, 1),
      finding('binding.yaml', 2, 5, 'warning'),
      finding('binding.yaml', 2, 5),
      finding('binding.yaml', 2, 1),
      finding('contract.yaml', 3, 1),
    ]
    expect(sortFindings(findings).map((one) => one.message)).toEqual([
      'contract.yaml 3 1 error',
      'contract.yaml 9 1 error',
      'binding.yaml 2 1 error',
      'binding.yaml 2 5 error',
      'binding.yaml 2 5 warning',
    ])
    expect(findings[0]?.line).toBe(9)
  })

  it('say where in the file they are', () => {
    const file = parseYamlFile('f.yaml', 'a:\n  b: 1\n', 'CONTRACT_INVALID')
    expect(findingAt(file, 'error', 'CONTRACT_INVALID', ['a', 'b'], 'wrong')).toEqual({
      ...{ severity: 'error', code: 'CONTRACT_INVALID', message: 'wrong' },
      ...{ file: 'f.yaml', line: 2, column: 6, path: 'a.b' },
    })
    expect(findingAt(file, 'error', 'CONTRACT_INVALID', ['a', 'b'], 'wrong', 'key').column).toBe(3)
  })

  it('stop nothing without an error', () => {
    expect(thrownBy([])).toBeUndefined()
    expect(thrownBy([finding('f', 1, 1, 'warning')])).toBeUndefined()
  })

  it('become one error with the first words and all issues', () => {
    const error = thrownBy([finding('f', 3, 1), finding('f', 1, 1, 'warning'), finding('f', 2, 1)])
    expect(error).toBeInstanceOf(RunError)
    expect(error).toMatchObject({
      code: 'BINDING_INVALID',
      message: 'f 2 1 error (and 1 more)',
      context: { file: 'f', line: 2, issues: [{ line: 2 }, { line: 3 }] },
    })
    expect(thrownBy([finding('f', 2, 1)])).toMatchObject({ message: 'f 2 1 error', context: { line: 2 } })
  })
})
