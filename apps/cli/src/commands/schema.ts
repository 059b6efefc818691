import { documentSchema, documentSchemaNames, RunError } from '@huntfleet/contract'
import type { Command } from 'commander'
import { type CommonOptions, withCommonOptions } from '../command-options.ts'
import { openProject } from '../project-context.ts'
import type { Shell } from '../shell.ts'

/** `huntfleet schema`: JSON Schema of the YAML files, for editors. */
export function addSchemaCommand(program: Command, shell: Shell): void {
  withCommonOptions(program.command('schema <document>'))
    .description(`print the JSON Schema of a document: ${documentSchemaNames.join(', ')}`)
    .action(async (document: string, options: CommonOptions) => {
      const name = documentSchemaNames.find((known) => known === document)
      if (name === undefined) {
        throw new RunError(
          'USAGE_INVALID',
          `there is no schema ${JSON.stringify(document)}; there are ${documentSchemaNames.join(', ')}`,
        )
      }
      const { vocabulary, output } = await openProject(options, shell)
      output.printJson(documentSchema(name, vocabulary))
    })
}
