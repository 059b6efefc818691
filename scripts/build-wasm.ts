import { writeFileSync } from 'node:fs'
import { compileWasm, wasmModules } from './wasm/compile-wasm.ts'

/** Compiles what is run as WebAssembly again, after a change of `packages/engine/wasm`. */
for (const module of wasmModules) writeFileSync(module.file, await compileWasm(module))
