import type { ErrorCode } from './error-codes.ts'
import { type ErrorIssue, RunError } from './run-error.ts'
import type { DocumentPath, YamlFile } from './yaml-file.ts'

/** Something to say about an input file: errors stop, warnings do not. */
export interface Finding extends ErrorIssue {
  severity: 'error' | 'warning'
  code: ErrorCode
}

/** A file with its parsed value and what there is to say about it. */
export interface Checked<T> {
  /** undefined when there is an error. */
  value: T | undefined
  /** The value without what is wrong in it, so that the rest can be checked in the same go; undefined when nothing is left. */
  rest: T | undefined
  findings: Finding[]
}

/** A finding at a place of a file. */
export function findingAt(
  source: YamlFile,
  severity: Finding['severity'],
  code: ErrorCode,
  path: DocumentPath,
  message: string,
  what: 'key' | 'value' = 'value',
): Finding {
  return { severity, code, message, ...source.locate(path, what), path: path.join('.') }
}

/** Sorted by file (in the order in which they were read), then place; errors before warnings at one place. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  const files = [...new Set(findings.map((finding) => finding.file))]
  return [...findings].sort(
    (a, b) =>
      files.indexOf(a.file) - files.indexOf(b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0) ||
      a.severity.localeCompare(b.severity),
  )
}

/** Throws one `RunError` for all errors among the findings, the first one's words as its message. */
export function throwOnErrors(findings: readonly Finding[]): void {
  const errors = sortFindings(findings.filter((finding) => finding.severity === 'error'))
  const first = errors[0]
  if (first === undefined) return
  const { severity: _, code, message, ...place } = first
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  throw new RunError(code, `${message}${more}`, {
    ...place,
    ...(errors.length > 1 && { issues: errors.map(({ severity: _severity, ...issue }) => issue) }),
  })
}
