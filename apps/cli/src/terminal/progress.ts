import type { TableProgress } from '@huntfleet/engine'
import { escapeControls } from './output.ts'

/** Shows what the tables of a run are doing: a live line each on a terminal, plain lines elsewhere. */
export interface ProgressView {
  update(progress: TableProgress): void
  /** A table has ended. */
  end(table: string, text: string): void
  close(): void
}

/** Redrawing more often helps nobody. */
const redrawMs = 100
/** Without a terminal, a line per table this often at most. */
const lineMs = 5_000

export function createProgressView(stream: NodeJS.WriteStream, mask: (text: string) => string): ProgressView {
  return stream.isTTY === true ? liveView(stream, mask) : plainView(stream, mask)
}

function lineOf({ table, rows, pages, retries, doing }: TableProgress): string {
  const facts = [
    `${rows} rows`,
    `${pages} ${pages === 1 ? 'page' : 'pages'}`,
    ...(retries > 0 ? [`${retries} retries`] : []),
  ]
  return `${table}: ${facts.join(', ')}${doing ? `; ${doing}` : ''}`
}

function liveView(stream: NodeJS.WriteStream, mask: (text: string) => string): ProgressView {
  const lines = new Map<string, string>()
  let drawn = 0
  let timer: NodeJS.Timeout | undefined
  const draw = () => {
    timer = undefined
    if (drawn > 0) stream.write(`\u001b[${drawn}A`)
    const width = Math.max(20, (stream.columns ?? 80) - 1)
    for (const line of lines.values())
      stream.write(`\u001b[2K${escapeControls(mask(line)).slice(0, width)}\n`)
    drawn = lines.size
  }
  const soon = () => {
    timer ??= setTimeout(draw, redrawMs)
  }
  return {
    update(progress) {
      lines.set(progress.table, lineOf(progress))
      soon()
    },
    end(table, text) {
      lines.set(table, `${table}: ${text}`)
      soon()
    },
    close() {
      if (timer === undefined) return
      clearTimeout(timer)
      draw()
    },
  }
}

function plainView(stream: NodeJS.WriteStream, mask: (text: string) => string): ProgressView {
  const saidAt = new Map<string, number>()
  const say = (line: string) => stream.write(`${escapeControls(mask(line))}\n`)
  return {
    update(progress) {
      const now = Date.now()
      if (progress.doing === '' && now - (saidAt.get(progress.table) ?? 0) < lineMs) return
      saidAt.set(progress.table, now)
      say(lineOf(progress))
    },
    end: (table, text) => say(`${table}: ${text}`),
    close: () => {},
  }
}
