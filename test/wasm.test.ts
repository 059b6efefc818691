import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { compileWasm, wasmModules } from '../scripts/wasm/compile-wasm.ts'

test.each(wasmModules)('the compiled $source is what its source says', async (module) => {
  expect(await compileWasm(module)).toBe(await readFile(module.file, 'utf8'))
})
