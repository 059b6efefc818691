import { z } from 'zod'
import { bindingSchema, type Vocabulary } from './binding-schema.ts'
import { contractSchema } from './contract-schema.ts'
import { errorDocumentSchema, manifestSchema } from './manifest.ts'
import { projectSchema } from './project-schema.ts'

/** The documents that have a JSON Schema: the user's YAML files, and what we print or store for machines. */
export const documentSchemaNames = ['contract', 'binding', 'project', 'manifest', 'error'] as const
export type DocumentSchemaName = (typeof documentSchemaNames)[number]

/** The JSON Schema (draft 2020-12) of a document, as its author writes it. */
export function documentSchema(name: DocumentSchemaName, vocabulary: Vocabulary): Record<string, unknown> {
  const schemas: Record<DocumentSchemaName, { schema: z.ZodType; title: string }> = {
    contract: { schema: contractSchema, title: 'contract.yaml of a Huntfleet strategy' },
    binding: { schema: bindingSchema(vocabulary), title: 'binding.yaml of a Huntfleet strategy' },
    project: { schema: projectSchema(vocabulary), title: 'huntfleet.yaml' },
    manifest: { schema: manifestSchema, title: 'manifest.json of a run' },
    error: {
      schema: z.strictObject({ error: errorDocumentSchema }),
      title: 'what --json prints when a command fails',
    },
  }
  const { schema, title } = schemas[name]
  return { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'ref' }), title }
}
