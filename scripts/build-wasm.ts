import { writeFileSync } from 'node:fs'
import { compileScanner, scannerModule } from './wasm/compile-wasm.ts'

/** Compiles the scanner of JSON pages again, after a change of `packages/engine/wasm`. */
writeFileSync(scannerModule, await compileScanner())
