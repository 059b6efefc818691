import { escapeControls } from './output.ts'

/** Rows as a table of text for people: one line per row, cells cut at `maxCell` characters (ids and paths never). */
export function textTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  maxCell = Number.POSITIVE_INFINITY,
): string {
  const cell = (text: string) => {
    const line = escapeControls(text).replace(/\s*[\r\n\t]+\s*/g, ' ')
    return line.length > maxCell ? `${line.slice(0, maxCell - 1)}…` : line
  }
  const lines = [header, ...rows].map((row) => row.map(cell))
  const widths = header.map((_, i) => Math.max(...lines.map((line) => (line[i] ?? '').length)))
  const render = (line: readonly string[]) =>
    line
      .map((text, i) => text.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  return [render(lines[0] ?? []), rule, ...lines.slice(1).map(render)].join('\n')
}
