import { readSecret, redisTarget } from '@huntfleet/contract'
import type { Producer } from '@huntfleet/queue'
import type { ProjectContext } from './project-context.ts'

/** The fleet of a project, with its signing key. BullMQ is loaded only now. */
export async function openFleet({ project, masker }: ProjectContext): Promise<Producer> {
  const key = project.text.queue?.signing_key
  const place = { env: process.env, folder: project.folder }
  const signingKey = key === undefined ? null : await readSecret('queue.signing_key', key, place)
  masker.add('queue.signing_key', signingKey ?? '')
  const { openProducer } = await import('@huntfleet/queue')
  return openProducer({ redis: redisTarget(project, process.env, masker), signingKey })
}
