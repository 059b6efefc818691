import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { main } from 'assemblyscript/asc'

const folder = fileURLToPath(new URL('../../packages/engine/wasm/', import.meta.url))

/** Where the compiled scanner stands in the sources. */
export const scannerModule = fileURLToPath(
  new URL('../../packages/engine/src/json/row-scanner-wasm.ts', import.meta.url),
)

/** The text of that file, compiled anew. Throws what the compiler says. */
export async function compileScanner(): Promise<string> {
  let compiled: Uint8Array | undefined
  const { error, stderr } = await main(
    ['row-scanner.ts', '--outFile', 'row-scanner.wasm', '-O3', '--noAssert', '--runtime', 'stub']
      // Behind the scanner's own table, below the first text.
      .concat(['--memoryBase', '40960', '--enable', 'simd', '--enable', 'bulk-memory', '--baseDir', folder]),
    {
      readFile: async (name) => await readFile(`${folder}${name}`, 'utf8').catch(() => null),
      writeFile: (_, contents) => {
        if (contents instanceof Uint8Array) compiled = contents
      },
      listFiles: () => null,
    },
  )
  if (error !== null || compiled === undefined) throw new Error(`${error?.message}\n${stderr}`)
  const text = Buffer.from(compiled).toString('base64')
  return [
    '/** `packages/engine/wasm/row-scanner.ts`, compiled by `npm run build:wasm`. */',
    'export const rowScannerWasm =',
    `  '${text}'\n`,
  ].join('\n')
}
