import type { Producer } from '@huntfleet/queue'
import type { CommonOptions } from './command-options.ts'
import { openFleet } from './open-fleet.ts'
import { openProject, type ProjectContext } from './project-context.ts'
import type { Shell } from './shell.ts'

/** Does work with the project's fleet, and disconnects at the end. */
export async function withProducer(
  options: CommonOptions,
  shell: Shell,
  work: (producer: Producer, context: ProjectContext) => Promise<void>,
): Promise<void> {
  const context = await openProject(options, shell)
  const producer = await openFleet(context)
  try {
    await work(producer, context)
  } finally {
    await producer.close()
  }
}
