import { resolve } from 'node:path'
import {
  type Finding,
  findingAt,
  loadProject,
  locateStrategy,
  type Masker,
  type Project,
  readStrategy,
  readStrategyDocuments,
  rememberSecrets,
  type Strategy,
  type StrategySource,
  sortFindings,
  throwOnErrors,
  type Vocabulary,
  withAdapters,
} from '@huntfleet/contract'
import { vocabulary } from '@huntfleet/engine'
import { validateLayout } from '@huntfleet/storage'
import { checkColumns } from './check-columns.ts'
import type { CommonOptions } from './command-options.ts'
import type { Shell } from './shell.ts'
import { createOutput, type Output } from './terminal/output.ts'

/** What every command works with. */
export interface ProjectContext {
  project: Project
  /** What is wrong in the project file; commands other than `validate` never see any. */
  projectErrors: readonly Finding[]
  masker: Masker
  output: Output
  vocabulary: Vocabulary
  workingDirectory: string
  overlay: string | undefined
}

/** Reads the project file and says its warnings. Errors in it are thrown unless `lenient`. */
export async function openProject(
  options: CommonOptions,
  { masker }: Shell,
  lenient = false,
): Promise<ProjectContext> {
  const output = createOutput(masker, options.json === true)
  const workingDirectory = process.cwd()
  const { project, errors } = await loadProject({
    vocabulary,
    workingDirectory,
    ...(options.config !== undefined && { file: options.config }),
    ...(options.env !== undefined && { overlay: options.env }),
  })
  await rememberSecrets(project, process.env, masker)
  errors.push(...layoutFindings(project))
  if (!lenient) throwOnErrors(errors)
  if (!lenient) for (const warning of project.warnings) output.warn(warning)
  return {
    project,
    projectErrors: errors,
    masker,
    output,
    vocabulary: withAdapters(vocabulary, project.text),
    workingDirectory,
    overlay: options.env,
  }
}

/** A layout that waits for the environment is checked when it is used. */
function layoutFindings({ source, text }: Project): Finding[] {
  const { layout } = text.storage
  const fault = layout.includes('${') ? undefined : validateLayout(layout)
  if (fault === undefined || source === null) return []
  const message = `storage.layout: ${JSON.stringify(layout)}: ${fault}`
  return [findingAt(source, 'error', 'PROJECT_INVALID', ['storage', 'layout'], message)]
}

/** Finds and reads a strategy by folder or name. */
export async function openStrategySource(context: ProjectContext, strategy: string): Promise<StrategySource> {
  const root = resolve(context.project.folder, context.project.text.strategies)
  const folder = await locateStrategy(strategy, root, context.workingDirectory)
  return readStrategy(folder, context.workingDirectory, context.overlay)
}

/** A strategy whose documents are in order; its warnings are said, its errors thrown all at once. */
export async function openStrategy(context: ProjectContext, name: string, now: Date): Promise<Strategy> {
  const source = await openStrategySource(context, name)
  const { strategy, findings } = readStrategyDocuments(source, {
    project: context.project.text,
    vocabulary: context.vocabulary,
    now,
  })
  if (strategy !== undefined) findings.push(...checkColumns(strategy, context.project.text.storage))
  for (const finding of sortFindings(findings))
    if (finding.severity === 'warning') context.output.warn(finding)
  throwOnErrors(findings)
  if (strategy === undefined) throw new Error('a strategy without errors must be there')
  return strategy
}
