import type { ErrorDocument, RunError } from './run-error.ts'

/** An error as it may be kept and shown: secrets in its words are masked, its code and places are not touched. */
export function maskedError(error: RunError, mask: (text: string) => string): ErrorDocument {
  const { issues, hint, message, ...rest } = error.toJSON()
  return {
    ...rest,
    message: mask(message),
    ...(hint !== undefined && { hint: mask(hint) }),
    ...(issues !== undefined && {
      issues: issues.map((issue) => ({ ...issue, message: mask(issue.message) })),
    }),
  }
}
