import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { compileScanner, scannerModule } from '../scripts/wasm/compile-wasm.ts'

test('the scanner that is compiled into the sources is what its own source says', async () => {
  expect(await compileScanner()).toBe(await readFile(scannerModule, 'utf8'))
})
