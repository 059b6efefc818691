import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { main } from 'assemblyscript/asc'

const engine = fileURLToPath(new URL('../../packages/engine/', import.meta.url))
const sources = `${engine}wasm/`

/** A module of `packages/engine/wasm`, and where it stands compiled. */
export interface WasmModule {
  source: string
  file: string
  constant: string
}

export const wasmModules: readonly WasmModule[] = [
  { source: 'row-scanner', file: `${engine}src/json/row-scanner-wasm.ts`, constant: 'rowScannerWasm' },
  { source: 'snappy', file: `${engine}src/parquet/snappy-wasm.ts`, constant: 'snappyWasm' },
]

/** The text of a module's file, compiled anew. Throws what the compiler says. */
export async function compileWasm({ source, constant }: WasmModule): Promise<string> {
  let compiled: Uint8Array | undefined
  const { error, stderr } = await main(
    [`${source}.ts`, '--outFile', `${source}.wasm`, '--baseDir', sources, '-O3', '--noAssert']
      // Behind the modules' own tables, below what they are given.
      .concat(['--runtime', 'stub', '--memoryBase', '40960'])
      .concat(['--enable', 'simd', '--enable', 'bulk-memory']),
    {
      readFile: async (name) => await readFile(`${sources}${name}`, 'utf8').catch(() => null),
      writeFile: (_, contents) => {
        if (contents instanceof Uint8Array) compiled = contents
      },
      listFiles: () => null,
    },
  )
  if (error !== null || compiled === undefined) throw new Error(`${error?.message}\n${stderr}`)
  const text = Buffer.from(compiled).toString('base64')
  return [
    `/** \`packages/engine/wasm/${source}.ts\`, compiled by \`npm run build:wasm\`. */`,
    `export const ${constant} =`,
    `  '${text}'\n`,
  ].join('\n')
}
