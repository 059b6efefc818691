import type { TextParser } from '../answer-vocabulary.ts'
import { AdapterHost } from '../custom-adapters/adapter-host.ts'
import { customAdapter } from '../custom-adapters/custom-adapter.ts'
import type { AdapterModule } from '../custom-adapters/open-adapters.ts'
import type { Logger } from '../ports.ts'
import { systemClock } from '../system-clock.ts'

/**
 * The user's adapters of a pipeline thread: each in a thread of its own below this one, shared by the thread's tables,
 * with every guarantee that it has elsewhere. It ends with this thread at the latest.
 */
export class ThreadAdapters {
  readonly #logger: Logger
  readonly #hosts = new Map<string, AdapterHost>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  parsersOf(modules: readonly AdapterModule[]): Record<string, TextParser> {
    return Object.fromEntries(modules.map((module) => [module.name, this.#parserOf(module)]))
  }

  #parserOf(module: AdapterModule): TextParser {
    const { name, file, url } = module
    let host = this.#hosts.get(name)
    if (host === undefined) {
      host = new AdapterHost({ name, file, url: new URL(url), clock: systemClock, logger: this.#logger })
      this.#hosts.set(name, host)
    }
    return customAdapter(host)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map((host) => host.close()))
  }
}
