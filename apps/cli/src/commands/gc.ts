import { formatDuration, parseDuration, RunError, storageTarget } from '@huntfleet/contract'
import { collectGarbage, type GarbageReport, openStore, safeGarbageAgeMs } from '@huntfleet/storage'
import type { Command } from 'commander'
import { type CommonOptions, withCommonOptions } from '../command-options.ts'
import { openProject, type ProjectContext } from '../project-context.ts'
import type { Shell } from '../shell.ts'
import { textTable } from '../terminal/text-table.ts'

interface GcOptions extends CommonOptions {
  dryRun?: boolean
  olderThan: string
  force?: boolean
  out?: string
}

const help = `
Removes unfinished uploads and files, pieces of tables, and data, rejects and ledgers that no manifest names.
With storage.retention also whole runs of that age, manifests first. What a manifest names is never touched.

  huntfleet gc --dry-run
  huntfleet gc --older-than 14d
  huntfleet gc --out s3://hunts/staging --json`

/** `huntfleet gc`: removes what killed and failed attempts left in the storage. */
export function addGcCommand(program: Command, shell: Shell): void {
  withCommonOptions(program.command('gc'))
    .description('remove from the storage what killed and failed attempts left there')
    .option('--dry-run', 'only show what would be removed')
    .option('--older-than <duration>', 'leave alone what is younger', '7d')
    .option(
      '--force',
      `allow less than ${formatDuration(safeGarbageAgeMs)}: only while nothing uses the storage`,
    )
    .option('--out <url>', 'which storage; overrides storage.url')
    .addHelpText('after', help)
    .action(async (options: GcOptions) => {
      const context = await openProject(options, shell)
      const { project, masker, output, workingDirectory } = context
      const ages = agesOf(options, context)
      const out = options.out === undefined ? undefined : { url: options.out, base: workingDirectory }
      const target = storageTarget(project, process.env, masker, out)
      const store = await openStore(target)
      try {
        const dryRun = options.dryRun === true
        const report = await collectGarbage(store, {
          ...ages,
          layout: target.layout,
          dryRun,
          now: Date.now(),
        })
        if (options.json === true) {
          output.printMasked({
            storage: store.url,
            dry_run: dryRun,
            older_than_ms: ages.olderThanMs,
            retention_ms: ages.retentionMs,
            removed: report.removed.map(({ kind, key, bytes, modifiedAt }) => ({
              kind,
              key,
              bytes,
              modified_at: new Date(modifiedAt).toISOString(),
            })),
            notes: report.notes,
          })
        } else {
          for (const note of report.notes) output.note(note)
          output.print(textOf(report, dryRun))
        }
      } finally {
        await store.close()
      }
    })
}

function agesOf(
  options: GcOptions,
  { project }: ProjectContext,
): { olderThanMs: number; retentionMs: number | null; huntRetentionMs: Map<string, number> } {
  const olderThanMs = parseDuration(options.olderThan)
  const given = `--older-than ${JSON.stringify(options.olderThan)}`
  if (olderThanMs === undefined)
    throw new RunError('USAGE_INVALID', `${given} is not a duration`, { hint: 'write 7d, 2w or 100h' })
  if (olderThanMs < safeGarbageAgeMs && options.force !== true) {
    throw new RunError(
      'USAGE_INVALID',
      `${given} is less than ${formatDuration(safeGarbageAgeMs)}: a run that is under way may still need what is that young`,
      { hint: 'choose a greater age; if no worker and no run uses the storage now, add --force' },
    )
  }
  const retentionMs = project.text.storage.retention ?? null
  const huntRetentionMs = new Map(
    Object.entries(project.text.hunts).flatMap(([hunt, { retention }]): [string, number][] =>
      retention === undefined ? [] : [[hunt, retention]],
    ),
  )
  const named = [...huntRetentionMs].map(([hunt, ms]): [string, number] => [`hunts.${hunt}.retention`, ms])
  for (const [name, ms] of [
    ...(retentionMs === null ? [] : [['storage.retention', retentionMs] as const]),
    ...named,
  ]) {
    if (ms >= olderThanMs) continue
    const texts = [ms, olderThanMs].map(formatDuration)
    throw new RunError(
      'USAGE_INVALID',
      `${name} is ${texts[0]}, which is less than --older-than ${texts[1]}`,
      {
        hint: `raise ${name}, or lower --older-than`,
      },
    )
  }
  return { olderThanMs, retentionMs, huntRetentionMs }
}

function textOf({ removed }: GarbageReport, dryRun: boolean): string {
  if (removed.length === 0) return 'nothing to remove'
  const rows = removed.map(({ kind, key, bytes, modifiedAt }) => [
    kind,
    key,
    bytes === null ? '' : String(bytes),
    new Date(modifiedAt).toISOString(),
  ])
  const total = removed.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
  const what = `${removed.length} ${removed.length === 1 ? 'thing' : 'things'}, ${total} bytes`
  const end = dryRun ? `would remove ${what}; nothing was removed` : `removed ${what}`
  return `${textTable(['what', 'key', 'bytes', 'last changed'], rows)}\n${end}`
}
