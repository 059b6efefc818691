import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { z } from 'zod'
import { RunError } from './run-error.ts'

/** A secret in a YAML file: exactly one of `value`, `env`, `file` (SPEC section 2). */
export const secretSchema = z
  .strictObject({
    value: z.string().optional().describe('The secret itself; better kept out of files'),
    env: z.string().optional().describe('Name of an environment variable of the process that uses it'),
    file: z
      .string()
      .optional()
      .describe('Path of a file whose content, without the last line end, is the secret'),
  })
  .refine((s) => [s.value, s.env, s.file].filter((way) => way !== undefined).length === 1, {
    error: 'a secret is exactly one of value, env, file',
  })
export type SecretText = z.infer<typeof secretSchema>

/** Where secrets are read from. */
export interface SecretOrigin {
  env: NodeJS.ProcessEnv
  /** Folder of huntfleet.yaml, which relative paths start from. */
  folder: string
}

/**
 * The secret's value, read anew each time so that rotated files are noticed. `name` is for the message.
 * Throws `SECRET_UNSET` when the variable is not set or the file cannot be read.
 */
export async function readSecret(
  name: string,
  secret: SecretText,
  { env, folder }: SecretOrigin,
): Promise<string> {
  if (secret.value !== undefined) return secret.value
  if (secret.env !== undefined) {
    const value = env[secret.env]
    if (value !== undefined && value !== '') return value
    throw new RunError('SECRET_UNSET', `${name}: the environment variable ${secret.env} is not set`, {
      hint: `set ${secret.env} where the worker runs, or change the secret in huntfleet.yaml`,
    })
  }
  const file = resolve(folder, secret.file ?? '')
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
  } catch (error) {
    throw new RunError(
      'SECRET_UNSET',
      `${name}: the secret file ${file} cannot be read`,
      {
        hint: 'check the path and its permissions where the worker runs',
      },
      error,
    )
  }
}
