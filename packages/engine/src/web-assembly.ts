/** The part of WebAssembly that is used here; the types of Node.js have none of it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new <Exports>(module: object, imports: object) => { exports: Exports }
}

/** The memory of an instance. When it grows its buffer is another one, and views of the one before are empty. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  /** By pages of `wasmPageBytes`. Throws RangeError when there is no memory to be had. */
  grow(pages: number): number
}

export const wasmPageBytes = 1 << 16

/** Compiles a module of `packages/engine/wasm`. Throws where the processor or the settings of Node.js do not allow it. */
export function compileWasm(base64: string): object {
  return new WebAssembly.Module(Buffer.from(base64, 'base64'))
}

/** An instance of a module, with memory of its own. */
export function instantiateWasm<Exports>(module: object, imports: object = {}): Exports {
  return new WebAssembly.Instance<Exports>(module, imports).exports
}

/** Makes a memory hold at least so many bytes. */
export function growTo(memory: WasmMemory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength
  if (missing > 0) memory.grow(Math.ceil(missing / wasmPageBytes))
}
