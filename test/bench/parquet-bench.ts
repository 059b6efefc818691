import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { eventPages } from './event-pages.ts'
import { type Contestant, type Measurement, measureInTurns } from './measure.ts'
import { duckDb, hyparquetWriter, jsonParse, ours, parquetjsLite } from './parquet-contestants.ts'

export interface BenchOptions {
  /** A smoke test: little data, times that mean nothing. */
  small: boolean
}

export interface ParquetBench {
  rows: number
  jsonBytes: number
  contestants: Record<string, Measurement>
  /** Peak memory of a process that stages so many rows. */
  peakRssBytes: Record<number, number>
  /** CPU time of ours against `JSON.parse` alone, and of peers against ours with snappy; memory by size. */
  ratios: Record<string, number>
  skipped: string[]
}

/** Text of JSON pages → bytes of a Parquet file: CPU time against peers in the same process, and memory by size. */
export async function parquetBench({ small }: BenchOptions): Promise<ParquetBench> {
  const pageCount = small ? 2 : 100
  const rowsPerPage = small ? 1_000 : 10_000
  // First, since a process on Linux begins with the peak of the one that started it.
  const peakRssBytes = Object.fromEntries(
    (small ? [10_000, 20_000, 40_000] : [100_000, 1_000_000, 5_000_000]).map((rows) => [rows, peakRss(rows)]),
  )
  const pages = [...eventPages(pageCount, rowsPerPage)]
  await using duckdb = await duckDb(pages)
  /** Enough rows for the slow ones. */
  const share = small ? 2 : 10
  const fewer = pages.slice(0, pageCount / share)
  const slow = parquetjsLite(fewer, share)
  const contestants: Contestant[] = [
    jsonParse(pages),
    ours(pages, 'snappy'),
    ours(pages, 'zstd'),
    hyparquetWriter(fewer, share),
    duckdb,
    ...(slow === null ? [] : [slow]),
  ]
  const measured = await measureInTurns(contestants, small ? 1 : 5)
  const cpu = (index: number) => measured.get(contestants[index]?.name ?? '')?.cpuMs ?? Number.NaN
  const [, middle, large] = Object.values(peakRssBytes)
  return {
    rows: pageCount * rowsPerPage,
    jsonBytes: pages.reduce((sum, page) => sum + page.length, 0),
    contestants: Object.fromEntries(measured),
    peakRssBytes,
    ratios: {
      snappy_vs_json_parse: cpu(1) / cpu(0),
      zstd_vs_json_parse: cpu(2) / cpu(0),
      hyparquet_writer_vs_ours: cpu(3) / cpu(1),
      duckdb_vs_ours: cpu(4) / cpu(1),
      ...(slow === null ? {} : { parquetjs_lite_vs_ours: cpu(5) / cpu(1) }),
      rss_5m_vs_1m: (large ?? Number.NaN) / (middle ?? Number.NaN),
    },
    skipped: slow === null ? ['parquetjs-lite is not installed'] : [],
  }
}

function peakRss(rows: number): number {
  const script = fileURLToPath(new URL('parquet-memory.ts', import.meta.url))
  const printed = execFileSync(process.execPath, ['--conditions=source', script, String(rows)], {
    encoding: 'utf8',
  })
  return Number(printed)
}

/** The result as a person reads it. */
export function parquetReport(bench: ParquetBench): string {
  const { rows, jsonBytes } = bench
  const base = Object.values(bench.contestants)[0]?.cpuMs ?? Number.NaN
  const lines = [
    `page text → Parquet: ${rows} rows, ${megabytes(jsonBytes)} of JSON; CPU time, median`,
    ...Object.entries(bench.contestants).map(([name, { cpuMs, bytes }]) =>
      [
        name.padEnd(34),
        `${cpuMs.toFixed(0).padStart(6)} ms`,
        `${(cpuMs / base).toFixed(2).padStart(6)} ×`,
        `${((rows / cpuMs) * 1000).toFixed(0).padStart(8)} rows/s`,
        bytes === null ? '' : megabytes(bytes).padStart(10),
      ].join('  '),
    ),
    ...Object.entries(bench.peakRssBytes).map(
      ([count, bytes]) => `peak memory at ${count} rows: ${megabytes(bytes)}`,
    ),
    ...Object.entries(bench.ratios).map(([name, ratio]) => `${name}: ${ratio.toFixed(2)}`),
    ...bench.skipped,
  ]
  return lines.join('\n')
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
