import {
  expandEnv,
  type Hunt,
  type Json,
  jsonSchema,
  type Masker,
  type NotifyText,
  RunError,
  readSecret,
} from '@huntfleet/contract'
import type { RunRecord, SlotEntry } from '@huntfleet/queue'

/** How long a webhook may take, in milliseconds. */
const timeoutMs = 10_000

export interface SettledSlot {
  hunt: Hunt
  entry: SlotEntry
  /** null: the slot has no run. */
  run: RunRecord | null
}

interface NotifyContext {
  env: NodeJS.ProcessEnv
  masker: Masker
  folder: string
}

/** Tells a hunt's webhook how a slot ended, if it wants to know; secrets are masked. Rejects when it does not take it. */
export async function notifyOfSlot(
  notify: NotifyText,
  settled: SettledSlot,
  context: NotifyContext,
): Promise<void> {
  const { entry } = settled
  const status = entry.status === 'ran' ? entry.outcome : entry.status
  if (!notify.on.some((wanted) => wanted === status)) return
  const url = await textOf('notify.url', notify.url, context)
  requireSafe(url)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  for (const [name, value] of Object.entries(notify.headers))
    headers[name] = await textOf(`notify.headers.${name}`, value, context)
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(context.masker.maskJson(documentOf(settled))),
    // What is sent to the webhook is not for whoever it names.
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`the webhook answered ${answer.status}`)
}

/** What the webhook gets. */
function documentOf({ hunt, entry, run }: SettledSlot): Json {
  const tables = Object.entries(run?.tables ?? {}).flatMap(([name, { entry: table }]) =>
    table === null ? [] : [[name, { outcome: table.outcome, reason: table.reason, rows: table.rows }]],
  )
  return jsonSchema.parse({
    hunt: hunt.name,
    strategy: hunt.strategy,
    slot: entry.slot,
    status: entry.status,
    reason: entry.reason,
    run_id: entry.runId,
    outcome: entry.outcome,
    window: entry.window,
    manifest: run?.manifestKey ?? null,
    error: run?.error?.message ?? null,
    tables: Object.fromEntries(tables),
  })
}

async function textOf(
  name: string,
  value: NotifyText['url'],
  { env, masker, folder }: NotifyContext,
): Promise<string> {
  if (typeof value !== 'string') {
    const secret = await readSecret(name, value, { env, folder })
    masker.add(name, secret)
    return secret
  }
  const { value: text, expanded } = expandEnv(value, env, name)
  for (const variable of expanded) masker.add(variable.name, variable.value)
  return text
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Slots tell what is hunted; they do not go over the network in the clear. */
function requireSafe(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && loopback.test(parsed.hostname)))
    return
  throw new RunError('PROJECT_INVALID', 'notify.url is neither https nor http on loopback', {
    hint: 'give the webhook an https address',
  })
}
