import { afterAll } from 'vitest'
import { readInThreads } from '../table-run.ts'

// Everything that is said of a table holds as well when it is read in another thread.
const threads = readInThreads()
afterAll(() => threads.close())
await import('../run-table.test.ts')
await import('../fetch-pages.test.ts')
await import('../every-row-once.test.ts')
await import('../checkpoint.test.ts')
