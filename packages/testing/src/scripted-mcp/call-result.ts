import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { tablePage } from './generated-table.ts'
import type { Step } from './script.ts'

/** The `CallToolResult` of a step, as JSON text. `folder` is where its `file` is looked for. */
export function callResultText(step: Step, args: Record<string, unknown>, folder: string): string {
  if (step.resultText !== undefined) return step.resultText
  if (step.result !== undefined) return JSON.stringify(step.result)
  const texts: string[] = []
  if (step.text !== undefined) texts.push(...(typeof step.text === 'string' ? [step.text] : step.text))
  if (step.json !== undefined) texts.push(JSON.stringify(step.json))
  if (step.file !== undefined) texts.push(readFileSync(resolve(folder, step.file), 'utf8'))
  if (step.padBytes !== undefined) texts.push('x'.repeat(step.padBytes))
  let structured = step.structured
  if (step.table) {
    const page = tablePage(step.table, args)
    if ('text' in page) texts.push(page.text)
    else structured = page.structured
  }
  return JSON.stringify({
    content: texts.map((text) => ({ type: 'text', text })),
    ...(structured !== undefined && { structuredContent: structured }),
    ...(step.isError === true && { isError: true }),
  })
}
