import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Vocabulary } from './binding-schema.ts'
import { checkSchema, type UnknownKeyPolicy } from './check-schema.ts'
import { expandEnv } from './expand-env.ts'
import type { Finding } from './finding.ts'
import { withFlatServers } from './flat-servers.ts'
import type { StorageTarget } from './jobs.ts'
import type { Json } from './json-value.ts'
import type { Masker } from './masker.ts'
import { variablesInProfiles } from './profile-variables.ts'
import { defaultPrefix, type ProjectText, projectSchema } from './project-schema.ts'
import { RunError } from './run-error.ts'
import { overlaidFile, parseYamlFile, type YamlFile } from './yaml-file.ts'

/** A project file, read and checked. `${ENV}` in it is filled in when a part is first used. */
export interface Project {
  /** The file as the user named it; null when there is none and every key has its default. */
  readonly file: string | null
  /** Absolute folder that relative paths of the file start from. */
  readonly folder: string
  readonly text: ProjectText
  readonly source: YamlFile | null
  readonly warnings: readonly Finding[]
}

/** A typo under these keys must not fail open (SPEC section 2): no signature, no secret, no limit. */
const strictKeys = new Set([
  'mcp_servers',
  'credentials',
  'storage',
  'dashboard',
  'mcp',
  'queue',
  'secrets',
  'run_limits',
])
const unknownKeys: UnknownKeyPolicy = (path) => (strictKeys.has(String(path[0])) ? 'error' : 'warning')

export interface LoadProjectOptions {
  /** `--config`: must exist. Without it `huntfleet.yaml` of the working directory is read if there is one. */
  file?: string
  vocabulary: Vocabulary
  workingDirectory?: string
  /** `--env NAME`: overlays `huntfleet.NAME.yaml`. */
  overlay?: string
}

/** Reads huntfleet.yaml. Findings that are errors are thrown, warnings are kept. */
export async function loadProject(
  options: LoadProjectOptions,
): Promise<{ project: Project; errors: Finding[] }> {
  const base = options.workingDirectory ?? process.cwd()
  const named = options.file ?? 'huntfleet.yaml'
  const path = resolve(base, named)
  const text = await readOptional(path)
  if (text === undefined) {
    if (options.file !== undefined) {
      throw new RunError('PROJECT_INVALID', `the project file ${named} does not exist`, {
        file: named,
        hint: 'give an existing file with --config, or run without it for the defaults',
      })
    }
    const defaults = projectSchema(options.vocabulary).parse({})
    return { project: { file: null, folder: base, text: defaults, source: null, warnings: [] }, errors: [] }
  }
  let source = withFlatServers(parseYamlFile(named, text, 'PROJECT_INVALID'))
  if (options.overlay !== undefined)
    source = overlaidFile(source, await readOverlay(base, named, options.overlay))
  const value = source.value ?? {}
  // The user's own adapters are words of the profiles in the same file.
  const vocabulary = withAdapters(options.vocabulary, value)
  const checked = checkSchema(source, value, projectSchema(vocabulary), {
    code: 'PROJECT_INVALID',
    unknownKeys,
  })
  const errors = checked.findings.filter((finding) => finding.severity === 'error')
  const warnings = [
    ...checked.findings.filter((finding) => finding.severity === 'warning'),
    ...variablesInProfiles(source),
  ]
  const parsed = checked.rest ?? projectSchema(options.vocabulary).parse({})
  return { project: { file: named, folder: dirname(path), text: parsed, source, warnings }, errors }
}

/** The words of the engine and the names of the project's own adapters. */
export function withAdapters(
  vocabulary: Vocabulary,
  project: Json | { adapters: Record<string, unknown> },
): Vocabulary {
  const adapters = isObject(project) ? project['adapters'] : undefined
  if (!isObject(adapters)) return vocabulary
  return { formats: vocabulary.formats, adapters: [...vocabulary.adapters, ...Object.keys(adapters)] }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new RunError(
      'PROJECT_INVALID',
      `cannot read ${path}: ${error instanceof Error ? error.message : error}`,
      { file: path },
      error,
    )
  }
}

async function readOverlay(base: string, named: string, overlay: string): Promise<YamlFile> {
  const file = named.replace(/(\.ya?ml)?$/, (ending) => `.${overlay}${ending || '.yaml'}`)
  const text = await readOptional(resolve(base, file))
  if (text === undefined) {
    throw new RunError('PROJECT_INVALID', `the overlay ${file} of --env ${overlay} does not exist`, { file })
  }
  return withFlatServers(parseYamlFile(file, text, 'PROJECT_INVALID'))
}

/** The storage of a project as an absolute target; `out` is `--out` and wins over `storage.url`. */
export function storageTarget(
  project: Project,
  env: NodeJS.ProcessEnv,
  masker: Masker,
  out?: { url: string; base: string },
): StorageTarget {
  const { value, expanded } = expandEnv({ ...project.text.storage }, env, 'storage')
  for (const { name, value: secret } of expanded) if (/[:@]/.test(secret)) masker.add(name, secret)
  const url = out === undefined ? absoluteUrl(value.url, project.folder) : absoluteUrl(out.url, out.base)
  return {
    url,
    endpoint: value.endpoint ?? null,
    region: value.region ?? null,
    pathStyle: value.path_style ?? value.endpoint !== undefined,
    layout: value.layout,
  }
}

/** `file://./x`, `./x` and `/x` become absolute file URLs, others stay as they are; no trailing slash. */
export function absoluteUrl(url: string, base: string): string {
  const relative = /^file:\/\/(\.{1,2}(?:\/.*)?)$/.exec(url)
  const isPath = !/^[a-z][a-z0-9+.-]*:/i.test(url)
  const absolute = relative !== null || isPath ? pathToFileURL(resolve(base, relative?.[1] ?? url)).href : url
  return absolute.length > 'file:///'.length ? absolute.replace(/\/+$/, '') : absolute
}

export interface RedisTarget {
  url: string
  prefix: string
}

/** Where the queues live. A password in the URL is added to the masker. */
export function redisTarget(project: Project, env: NodeJS.ProcessEnv, masker: Masker): RedisTarget {
  const text = project.text.redis
  const { value } = expandEnv(
    typeof text === 'string' ? { url: text, prefix: defaultPrefix } : { ...text },
    env,
    'redis',
  )
  const password = /^\w+:\/\/[^:@/]*:([^@/]+)@/.exec(value.url)?.[1]
  if (password !== undefined) {
    masker.add('redis password', password)
    masker.add('redis password', decoded(password))
  }
  return { url: value.url, prefix: value.prefix }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
