import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a worker says when a job leaves the hands that it was in. */
const changesHands = new Set(['job of a dead worker taken over', 'job handed back', 'job failed'])

/**
 * How often each job changed hands, as the workers' logs say: a worker may lose a lock and take the same job again, which
 * nobody else sees.
 */
export async function readHandovers(logs: string): Promise<Map<string, number>> {
  const handovers = new Map<string, number>()
  for (const name of await readdir(logs)) {
    for (const line of (await readFile(join(logs, name), 'utf8')).split('\n')) {
      const job = jobThatChangesHands(line)
      if (job !== null) handovers.set(job, (handovers.get(job) ?? 0) + 1)
    }
  }
  return handovers
}

function jobThatChangesHands(line: string): string | null {
  if (!line.startsWith('{')) return null
  try {
    const { msg, job }: { msg?: unknown; job?: unknown } = JSON.parse(line)
    return typeof msg === 'string' && changesHands.has(msg) && typeof job === 'string' ? job : null
  } catch {
    // The last line of a killed worker may be cut.
    return null
  }
}
