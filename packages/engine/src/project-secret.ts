import { expandEnv, type Masker, ownValue, type Project, RunError, readSecret } from '@huntfleet/contract'

/**
 * The value of `{{secret.NAME}}`: read anew each time, given to the masker before anyone can print it. Throws
 * SECRET_UNSET when the project file has no such secret, or its variable or file is missing.
 */
export async function projectSecret(
  project: Project,
  name: string,
  env: NodeJS.ProcessEnv,
  masker: Masker,
): Promise<string> {
  const where = `secrets.${name}`
  const secret = ownValue(project.text.secrets, name)
  if (secret === undefined) {
    throw new RunError('SECRET_UNSET', `{{secret.${name}}}: huntfleet.yaml has no ${where}`, {
      hint: `add ${where} with value, env or file where the fetch runs`,
    })
  }
  const filled = expandEnv(secret, env, where)
  for (const { name: variable, value } of filled.expanded) masker.add(variable, value)
  const value = await readSecret(where, filled.value, { env, folder: project.folder })
  masker.add(where, value)
  return value
}
