import { type Hunt, huntsOf, RunError, unknownName } from '@huntfleet/contract'
import type { ProjectContext } from './project-context.ts'

/** A hunt of the project file by its name. */
export function knownHunt({ project }: Pick<ProjectContext, 'project'>, name: string): Hunt {
  const hunts = huntsOf(project.text)
  const hunt = hunts.find((one) => one.name === name)
  if (hunt !== undefined) return hunt
  const known = hunts.map((one) => one.name)
  throw new RunError('HUNT_NOT_FOUND', unknownName('hunt', name, known), {
    hint: `hunts are under hunts: in ${project.file ?? 'huntfleet.yaml'}`,
  })
}
