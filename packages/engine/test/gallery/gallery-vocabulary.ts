import { fileURLToPath } from 'node:url'
import { openAdapters } from '../../src/custom-adapters/open-adapters.ts'
import { adapters, formats } from '../../src/registry.ts'
import { systemClock } from '../../src/system-clock.ts'
import { exampleAdapters } from './product.ts'

/** The engine's words and the adapters of `examples/adapters`, each in its own thread as in a worker. */
export function openVocabulary() {
  const own = openAdapters({
    adapters: exampleAdapters,
    folder: fileURLToPath(new URL('../../../../examples/bindings/', import.meta.url)),
    builtIn: Object.keys(adapters),
    env: {},
    clock: systemClock,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  return { vocabulary: { formats, adapters: { ...adapters, ...own.parsers } }, close: () => own.close() }
}
