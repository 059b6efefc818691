import { eventPages } from './event-pages.ts'
import { countingWriter, stagePage } from './stage-page.ts'

/** Stages as many rows as its argument says, page by page, and prints its largest resident set in bytes. */
const rowsPerPage = 10_000
/** Pages are made before the rest, so that making them is no part of it; they come again and again. */
const rows = Number(process.argv[2])
const pages = [...eventPages(Math.min(10, rows / rowsPerPage), rowsPerPage)]
const { writer } = countingWriter('zstd')
for (let page = 0; page < rows / rowsPerPage; page++)
  await stagePage(writer, pages[page % pages.length] ?? '')
await writer.finish({})
process.stdout.write(`${process.resourceUsage().maxRSS * 1024}\n`)
