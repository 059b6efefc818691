import { readSecret, redisTarget } from '@huntfleet/contract'
import type { Producer } from '@huntfleet/queue'
import type { CommonOptions } from './command-options.ts'
import { openProject, type ProjectContext } from './project-context.ts'
import type { Shell } from './shell.ts'

/** Does work with the project's fleet, and disconnects at the end. */
export async function withProducer(
  options: CommonOptions,
  shell: Shell,
  work: (producer: Producer, context: ProjectContext) => Promise<void>,
): Promise<void> {
  const context = await openProject(options, shell)
  const { project, masker } = context
  const signing = project.text.queue?.signing_key
  const signingKey =
    signing === undefined
      ? null
      : await readSecret('queue.signing_key', signing, { env: process.env, folder: project.folder })
  masker.add('queue.signing_key', signingKey ?? '')
  const { openProducer } = await import('@huntfleet/queue')
  const producer = await openProducer({ redis: redisTarget(project, process.env, masker), signingKey })
  try {
    await work(producer, context)
  } finally {
    await producer.close()
  }
}
