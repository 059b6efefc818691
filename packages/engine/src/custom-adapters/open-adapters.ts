import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expandEnv, RunError, toRunError } from '@huntfleet/contract'
import type { TextParser } from '../answer-vocabulary.ts'
import type { Clock, Logger } from '../ports.ts'
import { AdapterHost } from './adapter-host.ts'
import { customAdapter } from './custom-adapter.ts'

export interface OpenAdaptersOptions {
  /** Name → module, as in `adapters` of the project file. */
  adapters: Readonly<Record<string, string>>
  /** Absolute folder that the paths start from. */
  folder: string
  /** Names that are taken. */
  builtIn: readonly string[]
  env: NodeJS.ProcessEnv
  clock: Clock
  logger: Logger
  /** What each adapter may hold in memory, in MiB; default 512. */
  memoryMb?: number
}

/** Where an adapter's module is. Plain data. */
export interface AdapterModule {
  name: string
  /** As the user named it. */
  file: string
  url: string
}

/** The project's own adapters. */
export interface CustomAdapters {
  readonly parsers: Readonly<Record<string, TextParser>>
  /** The modules of those among these names that are the project's own, for another thread. */
  modules(names: readonly string[]): AdapterModule[]
  /** Loads these adapters, or all of them, and returns what keeps one from being used: a PROJECT_INVALID each. */
  check(names?: readonly string[]): Promise<RunError[]>
  close(): Promise<void>
}

/** Makes the adapters of a project file callable; no module is loaded before it is used or checked. */
export function openAdapters(options: OpenAdaptersOptions): CustomAdapters {
  const { adapters, folder, builtIn, env, clock, logger } = options
  const hosts = new Map<string, AdapterHost>()
  const moduleOf = (name: string, text: string): AdapterModule => {
    const file = expandEnv(text, env, `adapters.${name}`).value
    return { name, file, url: pathToFileURL(resolve(folder, file)).href }
  }
  const hostOf = (name: string, text: string): AdapterHost => {
    const known = hosts.get(name)
    if (known !== undefined) return known
    const { file, url } = moduleOf(name, text)
    const host = new AdapterHost({
      ...{ name, file, clock, logger },
      url: new URL(url),
      ...(options.memoryMb !== undefined && { memoryMb: options.memoryMb }),
    })
    hosts.set(name, host)
    return host
  }
  const check = async (name: string, text: string): Promise<RunError | undefined> => {
    if (builtIn.includes(name)) {
      return new RunError('PROJECT_INVALID', `adapters.${name}: ${name} is built in; choose another name`, {
        path: `adapters.${name}`,
      })
    }
    try {
      await hostOf(name, text).load()
      return undefined
    } catch (error) {
      return toRunError(error)
    }
  }
  const entries = Object.entries(adapters)
  return {
    parsers: Object.fromEntries(
      entries.map(([name, text]): [string, TextParser] => [
        name,
        (...input) => customAdapter(hostOf(name, text))(...input),
      ]),
    ),
    modules: (names) =>
      entries.filter(([name]) => names.includes(name)).map(([name, text]) => moduleOf(name, text)),
    async check(names) {
      const wanted = entries.filter(([name]) => names === undefined || names.includes(name))
      const faults = await Promise.all(wanted.map(([name, text]) => check(name, text)))
      return faults.filter((fault) => fault !== undefined)
    },
    async close() {
      await Promise.all([...hosts.values()].map((host) => host.close()))
    },
  }
}
