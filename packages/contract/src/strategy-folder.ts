import { createHash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { didYouMean } from './did-you-mean.ts'
import type { Bundle } from './jobs.ts'
import type { Json, JsonObject } from './json-value.ts'
import { RunError } from './run-error.ts'
import { overlaidFile, parseYamlFile, type YamlFile } from './yaml-file.ts'

/** A strategy's two documents as they stand in their files, or as a job brought them. */
export interface StrategySource {
  /** The folder as messages name it. */
  folder: string
  contract: YamlFile
  /** null: the strategy has no binding.yaml. */
  binding: YamlFile | null
  hashes: { contract: string; binding: string }
}

/** Folders that hold no strategies of ours. */
const skipped = (name: string) => name.startsWith('.') || name.startsWith('_') || name === 'node_modules'
/** Deeper trees are a mistake (or a loop of links, which `readdir` does not follow anyway). */
const maxDepth = 12

/** All folders below `root` that have a contract.yaml, in alphabetical order. */
export async function findStrategyFolders(root: string): Promise<string[]> {
  const found: string[] = []
  const walk = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    // Mounted configuration is full of links to files.
    const isContract = (entry: Dirent) => entry.isFile() || entry.isSymbolicLink()
    if (entries.some((entry) => entry.name === 'contract.yaml' && isContract(entry))) found.push(folder)
    if (depth >= maxDepth) return
    const folders = entries
      .filter((entry) => entry.isDirectory() && !skipped(entry.name))
      .map((entry) => entry.name)
    for (const name of folders.sort()) await walk(join(folder, name), depth + 1)
  }
  await walk(root, 0)
  return found
}

/**
 * The folder of a strategy: an existing folder with a contract.yaml (relative to `workingDirectory`), else the one
 * below `root` whose contract has this name. Throws `STRATEGY_NOT_FOUND`.
 */
export async function locateStrategy(
  strategy: string,
  root: string,
  workingDirectory: string,
): Promise<string> {
  const folder = resolve(workingDirectory, strategy)
  const direct = await stat(join(folder, 'contract.yaml')).catch(() => undefined)
  if (direct?.isFile()) return folder
  const named = new Map<string, string[]>()
  for (const candidate of await findStrategyFolders(root)) {
    const name = await nameOf(candidate)
    named.set(name, [...(named.get(name) ?? []), candidate])
  }
  const matches = named.get(strategy) ?? []
  if (matches.length === 1) return matches[0]!
  if (matches.length > 1) {
    throw new RunError(
      'STRATEGY_NOT_FOUND',
      `two strategies are named ${strategy}: ${matches.join(' and ')}`,
      {
        hint: 'rename one of them, or give the folder instead of the name',
      },
    )
  }
  const names = [...named.keys()].sort()
  const guess = didYouMean(strategy, names)
  const known =
    names.length > 0
      ? `known: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`
      : 'there are none'
  throw new RunError(
    'STRATEGY_NOT_FOUND',
    `no strategy ${JSON.stringify(strategy)}: it is no folder with a contract.yaml, and none below ${root} has that name (${known})${guess ? `; did you mean ${guess}?` : ''}`,
    { hint: 'give the path of a strategy folder, or a name found below `strategies` of huntfleet.yaml' },
  )
}

/** The name in a contract, without judging the rest of it; the folder's name when it cannot be read. */
async function nameOf(folder: string): Promise<string> {
  const text = await readFile(join(folder, 'contract.yaml'), 'utf8').catch(() => '')
  return /^name:\s*["']?([^\s"'#]+)/m.exec(text)?.[1] ?? basename(folder)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Reads contract.yaml and, if there is one, binding.yaml (overlaid by `binding.<overlay>.yaml`). */
export async function readStrategy(
  folder: string,
  workingDirectory: string,
  overlay?: string,
): Promise<StrategySource> {
  const name = (file: string) => relative(workingDirectory, join(folder, file)) || file
  const contractText = await readFile(join(folder, 'contract.yaml'), 'utf8').catch((error: Error) => {
    throw new RunError(
      'STRATEGY_NOT_FOUND',
      `cannot read ${name('contract.yaml')}: ${error.message}`,
      {},
      error,
    )
  })
  const bindingText = await optionalText(join(folder, 'binding.yaml'))
  const contract = parseYamlFile(name('contract.yaml'), contractText, 'CONTRACT_INVALID')
  let binding =
    bindingText === null ? null : parseYamlFile(name('binding.yaml'), bindingText, 'BINDING_INVALID')
  let bindingHash = sha256(bindingText ?? '')
  const overlayText =
    overlay === undefined ? null : await optionalText(join(folder, `binding.${overlay}.yaml`))
  if (overlayText !== null) {
    const file = name(`binding.${overlay}.yaml`)
    const above = parseYamlFile(file, overlayText, 'BINDING_INVALID')
    binding = binding === null ? above : overlaidFile(binding, above)
    bindingHash = sha256(`${bindingText ?? ''}\n${overlayText}`)
  }
  return {
    folder: relative(workingDirectory, folder) || '.',
    contract,
    binding,
    hashes: { contract: sha256(contractText), binding: bindingHash },
  }
}

async function optionalText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new RunError(
      'BINDING_INVALID',
      `cannot read ${path}: ${error instanceof Error ? error.message : error}`,
      { file: path },
      error,
    )
  }
}

const asObject = (value: Json): JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}

/** The documents as a job payload carries them. */
export function toBundle(source: StrategySource): Bundle {
  return {
    folder: source.folder,
    contract: asObject(source.contract.value),
    binding: source.binding === null ? null : asObject(source.binding.value),
    hashes: source.hashes,
  }
}

/** The documents of a job payload; their places in the files are no longer known. */
export function fromBundle(bundle: Bundle): StrategySource {
  const file = (name: string, value: JsonObject): YamlFile => ({
    file: join(bundle.folder, name),
    value,
    locate: () => ({ file: join(bundle.folder, name), line: 1, column: 1 }),
  })
  return {
    folder: bundle.folder,
    contract: file('contract.yaml', bundle.contract),
    binding: bundle.binding === null ? null : file('binding.yaml', bundle.binding),
    hashes: bundle.hashes,
  }
}
