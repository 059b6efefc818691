import { RunError } from '@huntfleet/contract'
import { compileWasm, growTo, instantiateWasm, type WasmMemory, wasmPageBytes } from '../web-assembly.ts'
import { snappyWasm } from './snappy-wasm.ts'

/** What `packages/engine/wasm/snappy.ts` exports. */
interface Snappy {
  memory: WasmMemory
  compress(input: number, length: number, output: number): number
}

/** Below that stands the compressor's table. */
const begin = wasmPageBytes
/** What literals may be stored beyond their end. */
const slack = 16
/** Memory that only an unusual page needed is not kept. */
const largestKept = 1 << 24

let kept: Snappy | null = null

/** Beyond that, places of the output would be no positive integers of 32 bits. */
const largest = 1 << 29

/** Compresses; the output is of its own memory. Throws INTERNAL for more than half a gigabyte. */
export function snappyCompress(input: Uint8Array): Uint8Array {
  if (input.length > largest)
    throw new RunError('INTERNAL', `a page of ${input.length} bytes is too large for snappy`, {
      hint: 'set storage.compression to zstd, which takes it',
    })
  const snappy = kept ?? instantiateWasm<Snappy>(compileWasm(snappyWasm))
  const { memory } = snappy
  const output = begin + input.length + slack
  // The reference implementation's bound.
  growTo(memory, output + 32 + input.length + Math.ceil(input.length / 6) + slack)
  const bytes = new Uint8Array(memory.buffer)
  bytes.set(input, begin)
  const length = snappy.compress(begin, input.length, output)
  kept = bytes.length > largestKept ? null : snappy
  return bytes.slice(output, output + length)
}
