import {
  type ErrorIssue,
  type Finding,
  jsonSchema,
  type Masker,
  maskedError,
  type RunError,
} from '@huntfleet/contract'

/** Where a command writes: results on stdout, everything else on stderr; secrets masked, control characters escaped. */
export interface Output {
  /** A result for people. */
  print(text: string): void
  /**
   * The result for machines: one JSON document, alone on stdout. It must be masked already: masking the text of a
   * document could break its keys and numbers.
   */
  printJson(value: unknown): void
  /** The same on one line, for a command that prints one document after the other. */
  printJsonLine(value: object): void
  /** The same for documents that show what a source or a file says: every secret in them is masked. */
  printMasked(value: object): void
  /** What goes on, for people. */
  note(text: string): void
  warn(finding: Pick<Finding, 'message' | 'file' | 'line' | 'column'>): void
  fail(error: RunError): void
}

/** Source data must not reach a terminal as control sequences (SPEC section 16.8); line feeds and tabs may. */
export function escapeControls(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
    (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

/** JSON escapes control characters below the blank by itself; a terminal also obeys those from DEL on. */
function terminalJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f]/g,
    (c) => `\\u00${c.charCodeAt(0).toString(16)}`,
  )
}

/** `file:line:column: ` as editors and terminals link it. */
export function placeOf(place: Pick<ErrorIssue, 'file' | 'line' | 'column'>): string {
  if (place.file === undefined) return ''
  return `${[place.file, place.line, place.column].filter((part) => part !== undefined).join(':')}: `
}

export function createOutput(masker: Masker, json: boolean): Output {
  const write = (stream: NodeJS.WriteStream, text: string) =>
    stream.write(`${escapeControls(masker.mask(text))}\n`)
  return {
    print: (text) => write(process.stdout, text),
    printJson: (value) => process.stdout.write(`${terminalJson(value)}\n`),
    printJsonLine: (value) =>
      process.stdout.write(`${terminalJson(masker.maskJson(jsonSchema.parse(value)), 0)}\n`),
    printMasked(value) {
      this.printJson(masker.maskJson(jsonSchema.parse(value)))
    },
    note: (text) => write(process.stderr, text),
    warn: (finding) => write(process.stderr, `warning: ${placeOf(finding)}${finding.message}`),
    fail(error) {
      if (json) {
        this.printJson({ error: maskedError(error, (text) => masker.mask(text)) })
        return
      }
      const issues = error.context.issues ?? []
      for (const issue of issues.length > 0 ? issues : [{ ...error.context, message: error.message }]) {
        write(process.stderr, `error: ${placeOf(issue)}${issue.message}`)
      }
      const where = ['table', 'server', 'tool', 'page'] as const
      const facts = where.flatMap((field) =>
        error.context[field] === undefined ? [] : [`${field} ${error.context[field]}`],
      )
      write(process.stderr, `  ${[error.code, ...facts].join(', ')}`)
      if (error.context.hint !== undefined) write(process.stderr, `  ${error.context.hint}`)
    },
  }
}
