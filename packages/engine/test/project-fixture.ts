import { type Project, parseYamlFile, projectSchema } from '@huntfleet/contract'
import { vocabulary } from '../src/registry.ts'

/** A project file with this text, in this folder. */
export function projectOf(yaml: string, folder = '/project'): Project {
  const source = parseYamlFile('huntfleet.yaml', yaml, 'PROJECT_INVALID')
  const text = projectSchema(vocabulary).parse(source.value)
  return { file: 'huntfleet.yaml', folder, text, source, warnings: [] }
}
