import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const main = fileURLToPath(new URL('main.ts', import.meta.url))

function bench(...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--conditions=source', main, ...args], {
    encoding: 'utf8',
  })
  return { code: status, stdout, stderr }
}

const positive = z.number().positive()
const measurement = z.strictObject({ cpuMs: positive, bytes: positive.nullable() })

/** What each benchmark says; of times only that there are some. */
const results = {
  parquet: z.strictObject({
    rows: positive,
    jsonBytes: positive,
    contestants: z.record(z.string(), measurement),
    peakRssBytes: z.record(z.string(), positive),
    ratios: z.looseObject({
      snappy_vs_json_parse: positive,
      zstd_vs_json_parse: positive,
      hyparquet_writer_vs_ours: positive,
      parquetjs_lite_vs_ours: positive,
      duckdb_vs_ours: positive,
      rss_5m_vs_1m: positive,
    }),
    skipped: z.array(z.string()),
  }),
  'message-size': z.strictObject({
    bytes: positive,
    contestants: z.record(z.string(), measurement),
    ratios: z.strictObject({ stdio_vs_plain_buffer: positive, http_vs_plain_buffer: positive }),
  }),
  'main-thread-stall': z.looseObject({
    cases: z.array(z.looseObject({ transport: z.string(), megabytes: positive })).min(1),
    memory: z.looseObject({ megabytesPerPage: positive }),
  }),
  checkpoint: z.looseObject({
    pages: positive,
    rowsPerPage: positive,
    bytesPerPage: positive,
    modes: z.record(z.string(), z.looseObject({ wallMsPerPage: positive, cpuMsPerPage: positive })),
    resume: z.record(z.string(), z.record(z.string(), positive)),
    skipped: z.array(z.string()),
  }),
  fleet: z.strictObject({
    tables: positive,
    pagesPerTable: positive,
    callMs: positive,
    wallMs: z.strictObject({ bare_loop: positive, queue_path: positive }),
    ratios: z.strictObject({ queue_path_vs_bare_loop: positive }),
  }),
}

describe('npm run bench', () => {
  test.each(Object.entries(results))('-- %s --small --json runs', (name, shape) => {
    const { code, stdout, stderr } = bench(name, '--small', '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(shape.safeParse(JSON.parse(stdout)).error?.issues ?? []).toEqual([])
  })

  test('knows no other benchmark', () => {
    const { code, stderr } = bench('nonsense')
    expect(code).toBe(2)
    for (const name of Object.keys(results)) expect(stderr).toContain(name)
  })
})
