import type { z } from 'zod'
import { didYouMean } from './did-you-mean.ts'
import { entryAt, type SchemaPlace } from './schema-walk.ts'
import type { DocumentPath } from './yaml-file.ts'

type Issue = z.core.$ZodIssue

/** What is wrong with a value, in words. */
export function issueMessage(path: DocumentPath, issue: Issue, { secret }: SchemaPlace): string {
  const where = path.length > 0 ? `${path.join('.')}: ` : ''
  switch (issue.code) {
    case 'invalid_key':
      return `${where}${issue.issues[0]?.message ?? issue.message}`
    case 'invalid_value':
      // The schema may have better advice than the list of words.
      if (!issue.message.startsWith('Invalid')) return `${where}${issue.message}`
      return `${where}${outside(issue.input, issue.values.map(String), secret)}`
    case 'invalid_type':
      if (issue.input === undefined || (path.length === 0 && issue.input === null))
        return path.length === 0
          ? 'the file is empty'
          : `${where}is missing (wanted: ${kindWord(issue.expected)})`
      if (!issue.message.startsWith('Invalid input'))
        return `${where}${shown(issue.input, secret)} ${issue.message}`
      return `${where}${shown(issue.input, secret)} is not ${kindWord(issue.expected)}`
    case 'invalid_union':
      if ('options' in issue && Array.isArray(issue.options))
        return `${where}${outside(entryAt(issue.input, path.at(-1) ?? ''), issue.options.map(String), false)}`
      return `${where}${shown(issue.input, secret)} is not ${wantedWords(issue)}`
    default: {
      const subject = typeof issue.input === 'object' ? '' : `${shown(issue.input, secret)}: `
      return `${where}${subject}${issue.message}`
    }
  }
}

function outside(value: unknown, valid: readonly string[], secret: boolean): string {
  const guess = typeof value === 'string' ? didYouMean(value, valid) : undefined
  if (value === undefined) return `is missing: one of ${valid.join(', ')}`
  return `${shown(value, secret)} is not one of ${valid.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`
}

/** What the branches of a union would have taken; null goes without saying. */
function wantedWords(issue: Issue): string {
  const words = branchWords(issue).filter((word) => word !== '' && word !== 'null')
  return [...new Set(words)].join(', or ')
}

function branchWords(issue: Issue | undefined): string[] {
  switch (issue?.code) {
    case 'invalid_union':
      return issue.errors.flatMap((branch) => branchWords(branch[0]))
    case 'invalid_type':
      return [kindWord(issue.expected)]
    case 'invalid_value':
      return issue.values.map(String)
    default:
      return [issue?.message ?? '']
  }
}

/** The schema's names for kinds of values, as YAML authors call them. */
function kindWord(kind: string): string {
  const words: Record<string, string> = {
    string: 'a text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    object: 'a map',
    record: 'a map',
    array: 'a list',
    tuple: 'a list',
    null: 'null',
  }
  return words[kind] ?? kind
}

/** A value as a message shows it, at most 80 characters; never a secret. */
function shown(value: unknown, secret: boolean): string {
  if (value === null) return 'nothing'
  if (secret) return 'what stands here (not shown)'
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a map'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
