import type { Finding } from '@huntfleet/contract'
import { openSources, systemClock } from '@huntfleet/engine'
import type { ProjectContext } from './project-context.ts'
import { quietLogger } from './quiet-logger.ts'

/** Loads every adapter of the project file, and says what keeps one from being used. */
export async function checkAdapters({ project, masker }: ProjectContext): Promise<Finding[]> {
  const sources = openSources({ project, env: process.env, masker, clock: systemClock, logger: quietLogger })
  try {
    return await sources.checkAdapters()
  } finally {
    await sources.close()
  }
}
