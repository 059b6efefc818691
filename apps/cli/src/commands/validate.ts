import { resolve } from 'node:path'
import {
  exitCodeOf,
  type Finding,
  findStrategyFolders,
  RunError,
  readStrategy,
  readStrategyDocuments,
  type Strategy,
  sortFindings,
  toRunError,
} from '@huntfleet/contract'
import type { Command } from 'commander'
import { checkAdapters } from '../check-adapters.ts'
import { checkColumns } from '../check-columns.ts'
import { checkOnline } from '../check-online.ts'
import { type CommonOptions, withCommonOptions } from '../command-options.ts'
import { openProject, openStrategySource, type ProjectContext } from '../project-context.ts'
import type { Shell } from '../shell.ts'
import { placeOf } from '../terminal/output.ts'

interface ValidateOptions extends CommonOptions {
  online?: boolean
}

/** `huntfleet validate`: everything that can be known before a run, all findings at once, sorted by place. */
export function addValidateCommand(program: Command, shell: Shell): void {
  withCommonOptions(program.command('validate [path]'))
    .description('check the project file and the strategies (all below `strategies`, or the one given)')
    .option('--online', 'also ask the servers: do the tools exist, do the arguments fit')
    .action(async (path: string | undefined, options: ValidateOptions) => {
      const context = await openProject(options, shell, true)
      const findings: Finding[] = [...context.projectErrors, ...context.project.warnings]
      const strategies: Strategy[] = []
      let checked = 0
      for (const source of await sources(context, path, findings)) {
        const read = readStrategyDocuments(source, {
          project: context.project.text,
          vocabulary: context.vocabulary,
          now: new Date(),
        })
        checked += 1
        findings.push(...read.findings)
        if (read.strategy === undefined) continue
        findings.push(...checkColumns(read.strategy, context.project.text.storage))
        strategies.push(read.strategy)
      }
      findings.push(...(await checkAdapters(context)))
      if (path === undefined) {
        const { checkHunts } = await import('../check-hunts.ts')
        findings.push(...(await checkHunts(context, new Date())))
      }
      if (options.online === true && !hasErrors(findings)) {
        for (const strategy of strategies) findings.push(...(await checkOnline(context, strategy)))
      }
      report(context, sortFindings(findings), checked, options.json === true)
      const first = sortFindings(findings).find((finding) => finding.severity === 'error')
      shell.exit(first === undefined ? 0 : exitCodeOf(first.code))
    })
}

const hasErrors = (findings: readonly Finding[]) => findings.some((finding) => finding.severity === 'error')

/** The strategies to check; what cannot even be read becomes a finding. */
async function sources(context: ProjectContext, path: string | undefined, findings: Finding[]) {
  const root = resolve(context.project.folder, context.project.text.strategies)
  const direct = path === undefined ? [] : await openOne(context, path)
  if (direct.length > 0) return direct
  const folder = path === undefined ? root : resolve(context.workingDirectory, path)
  const read = []
  for (const found of await findStrategyFolders(folder)) {
    try {
      read.push(await readStrategy(found, context.workingDirectory, context.overlay))
    } catch (thrown) {
      findings.push(...findingsOf(toRunError(thrown)))
    }
  }
  if (read.length === 0 && findings.length === 0 && path !== undefined) {
    throw new RunError('STRATEGY_NOT_FOUND', `${path} is no strategy and there is none below it`, {
      hint: 'give a folder with a contract.yaml, a folder of such folders, or the name of a strategy',
    })
  }
  return read
}

/** The strategy that the path or name means; none when it is a folder of strategies. */
async function openOne(context: ProjectContext, path: string) {
  try {
    return [await openStrategySource(context, path)]
  } catch (thrown) {
    const error = toRunError(thrown)
    const isFolder = (await findStrategyFolders(resolve(context.workingDirectory, path))).length > 0
    if (error.code !== 'STRATEGY_NOT_FOUND' || !isFolder) throw error
    return []
  }
}

function findingsOf(error: RunError): Finding[] {
  const { issues, ...place } = error.context
  const all = issues ?? [{ ...place, message: error.message }]
  return all.map((issue) => ({ ...issue, severity: 'error', code: error.code }))
}

function report(
  { output }: ProjectContext,
  findings: readonly Finding[],
  strategies: number,
  json: boolean,
): void {
  const errors = findings.filter((finding) => finding.severity === 'error')
  const warnings = findings.length - errors.length
  if (json) {
    output.printJson({ valid: errors.length === 0, strategies, errors: errors.length, warnings, findings })
    return
  }
  for (const finding of findings) output.print(`${finding.severity}: ${placeOf(finding)}${finding.message}`)
  const counted = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`
  output.print(
    `${strategies === 1 ? '1 strategy' : `${strategies} strategies`}: ${counted(errors.length, 'error')}, ${counted(warnings, 'warning')}`,
  )
}
