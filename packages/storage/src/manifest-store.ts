import {
  formatDuration,
  type Manifest,
  manifestKey,
  manifestSchema,
  RunError,
  runIdPattern,
  strategyNamePattern,
} from '@huntfleet/contract'
import { checkNamedFiles } from './check-named-files.ts'
import type { ObjectStore } from './object-store.ts'
import { printable } from './printable.ts'
import { publishWithinMs } from './publish-deadline.ts'

export interface PublishOptions {
  /** Which execution of the run, from 1: a retry publishes beside the earlier manifest, never over it. */
  retry: number
  /** Names this try: S3 uses it to recognise our own manifest when the answer to the first request was lost. */
  attempt?: string
  /** See `publishDeadline`. Afterwards it is PUBLISH_EXPIRED, also for a process that was frozen in between. */
  deadline: number
  signal?: AbortSignal
}

/** A manifest as a listing shows it. */
export interface ManifestRef {
  strategy: string
  runId: string
  /** The highest retry that was published. */
  retry: number
  key: string
  /** Milliseconds since the epoch. */
  modifiedAt: number
}

const keyPattern = /^_runs\/strategy=([^/]+)\/run=([^/]+)\/manifest(?:\.([1-9]\d{0,8}))?\.json$/

/**
 * Publishes a run: from now on readers see it. `created: false` says that another worker was quicker; its manifest
 * stands, and the caller's files are not part of the run.
 */
export async function publishManifest(
  store: ObjectStore,
  manifest: Manifest,
  options: PublishOptions,
): Promise<{ created: boolean; key: string }> {
  const { retry, attempt, deadline, signal } = options
  if (!Number.isSafeInteger(retry) || retry < 1) {
    throw new RunError('INTERNAL', `retry must count from 1, not ${retry}`)
  }
  const key = manifestKey(checkStrategy(manifest.strategy), checkRunId(manifest.run_id), retry)
  const checked = manifestSchema.safeParse(manifest)
  if (!checked.success) {
    throw new RunError('INTERNAL', `the manifest for ${key} is not valid: ${firstIssue(checked.error)}`)
  }
  const text = `${JSON.stringify(checked.data, null, 2)}\n`
  await checkNamedFiles(store, checked.data)
  const expiry = expiringSignal(deadline, key)
  try {
    const { created } = await store.put(key, Buffer.from(text), {
      createOnly: true,
      contentType: 'application/json',
      ...(attempt === undefined ? {} : { metadata: { attempt } }),
      signal: signal === undefined ? expiry.signal : AbortSignal.any([signal, expiry.signal]),
    })
    return { created, key }
  } finally {
    expiry.stop()
  }
}

/** A signal that aborts at `deadline` with PUBLISH_EXPIRED. */
function expiringSignal(deadline: number, key: string): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController()
  const expire = (): void =>
    controller.abort(
      new RunError(
        'PUBLISH_EXPIRED',
        `${key} is not written: the run began more than ${formatDuration(publishWithinMs)} ago, and its files may have been removed since`,
        { hint: 'run it again, and look for what held it up' },
      ),
    )
  const leftMs = deadline - Date.now()
  if (!(leftMs > 0)) {
    expire()
    return { signal: controller.signal, stop: () => {} }
  }
  // The longest that a timer takes.
  const timer = setTimeout(expire, Math.min(leftMs, 2 ** 31 - 1))
  return { signal: controller.signal, stop: () => clearTimeout(timer) }
}

/** The manifest of a run's highest retry; null when none has been published. SINK_INVALID when it cannot be understood. */
export async function readManifest(
  store: ObjectStore,
  strategy: string,
  runId: string,
): Promise<Manifest | null> {
  const folder = manifestKey(checkStrategy(strategy), checkRunId(runId)).replace(/[^/]+$/, '')
  let highest: ManifestRef | null = null
  for await (const ref of latestManifests(store, folder)) highest = ref
  if (highest === null) return null
  const bytes = await store.get(highest.key)
  return bytes === null ? null : parseManifest(bytes, highest, `${store.url}/${highest.key}`)
}

/** The highest manifest of every run, of one strategy or of all, in the order of their keys. */
export async function* listManifests(store: ObjectStore, strategy?: string): AsyncGenerator<ManifestRef> {
  yield* latestManifests(
    store,
    strategy === undefined ? '_runs/' : `_runs/strategy=${checkStrategy(strategy)}/`,
  )
}

/** The manifests of one run stand together in a listing, though `manifest.10` comes before `manifest.2`. */
async function* latestManifests(store: ObjectStore, prefix: string): AsyncGenerator<ManifestRef> {
  let latest: ManifestRef | null = null
  for await (const { key, modifiedAt } of store.list(prefix)) {
    const [, strategy, runId, retry] = keyPattern.exec(key) ?? []
    if (strategy === undefined || runId === undefined || !isNamed(strategy, runId)) continue
    const ref = { strategy, runId, retry: Number(retry ?? 1), key, modifiedAt }
    const sameRun: boolean = latest?.strategy === strategy && latest.runId === runId
    if (latest !== null && !sameRun) yield latest
    if (latest === null || !sameRun || latest.retry < ref.retry) latest = ref
  }
  if (latest !== null) yield latest
}

function parseManifest(bytes: Uint8Array, ref: ManifestRef, place: string): Manifest {
  const invalid = (reason: string, cause?: unknown): RunError =>
    new RunError(
      'SINK_INVALID',
      `${place} is not a manifest that this version can read: ${reason}`,
      {
        hint: 'read it with the version of Huntfleet that wrote it, or restore the file',
      },
      cause,
    )
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch (error) {
    throw invalid('it is not JSON', error)
  }
  const parsed = manifestSchema.safeParse(value)
  if (!parsed.success) throw invalid(firstIssue(parsed.error), parsed.error)
  const { strategy, run_id: runId } = parsed.data
  if (strategy === ref.strategy && runId === ref.runId) return parsed.data
  throw invalid(printable(`it is about run ${runId} of ${strategy}`))
}

interface Issues {
  issues: readonly { path: readonly PropertyKey[]; message: string }[]
}

function firstIssue({ issues: [issue] }: Issues): string {
  return printable(`${issue?.path.join('.')}: ${issue?.message}`)
}

function isNamed(strategy: string, runId: string): boolean {
  return strategyNamePattern.test(strategy) && runIdPattern.test(runId)
}

function checkStrategy(name: string): string {
  if (strategyNamePattern.test(name)) return name
  throw new RunError('PAYLOAD_INVALID', `"${printable(name)}" is not the name of a strategy`, {
    hint: 'names are lower-case letters, digits and ._- and begin with a letter or a digit',
  })
}

function checkRunId(runId: string): string {
  if (runIdPattern.test(runId)) return runId
  throw new RunError('PAYLOAD_INVALID', `"${printable(runId)}" is not a run id`, {
    hint: 'run ids look like dns-hourly.20261130T120000Z; `huntfleet runs list` shows them',
  })
}
