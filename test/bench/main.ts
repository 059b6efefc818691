import { parseArgs } from 'node:util'
import { checkpointBench, checkpointReport } from './checkpoint-bench.ts'
import { mainThreadStallBench, mainThreadStallReport } from './main-thread-stall.ts'
import { messageSizeBench, messageSizeReport } from './message-size.ts'
import { parquetBench, parquetReport } from './parquet-bench.ts'

/** `npm run bench [-- NAME] [--json] [--small]`: runs one benchmark, or all; results on stdout. */
const benches = {
  parquet: async (small: boolean) => {
    const result = await parquetBench({ small })
    return { result, report: parquetReport(result) }
  },
  'message-size': async (small: boolean) => {
    const result = await messageSizeBench({ small })
    return { result, report: messageSizeReport(result) }
  },
  'main-thread-stall': async (small: boolean) => {
    const result = await mainThreadStallBench({ small })
    return { result, report: mainThreadStallReport(result) }
  },
  checkpoint: async (small: boolean) => {
    const result = await checkpointBench({ small })
    return { result, report: checkpointReport(result) }
  },
} as const

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false }, small: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => !Object.hasOwn(benches, name))
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are: ${Object.keys(benches).join(', ')}`)
  process.exit(2)
}
const chosen = Object.entries(benches).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
)
const results: Record<string, unknown> = {}
for (const [name, run] of chosen) {
  const { result, report } = await run(values.small)
  results[name] = result
  if (!values.json) console.log(`${report}\n`)
}
// One benchmark's result stands alone, several by their names.
if (values.json)
  console.log(JSON.stringify(chosen.length === 1 ? Object.values(results)[0] : results, null, 2))
