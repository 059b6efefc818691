import { RunError } from './run-error.ts'

/** A value that came out of the environment, for the masker. */
export interface ExpandedValue {
  name: string
  value: string
}

export interface Expansion<T> {
  value: T
  /** Every `${…}` that was filled in. */
  expanded: ExpandedValue[]
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}/g

/**
 * Fills in `${NAME}` and `${NAME:-default}` in every string of a value, after parsing, so that no value of the
 * environment can change the file's structure. Throws `SECRET_UNSET` for a variable that is not set and has no
 * default. `where` names the place in the file.
 */
export function expandEnv<T>(value: T, env: NodeJS.ProcessEnv, where: string): Expansion<T> {
  const expanded: ExpandedValue[] = []
  const text = (input: string, path: string): string =>
    input.replace(
      reference,
      (_, name: string, withDefault: string | undefined, fallback: string | undefined) => {
        const set = env[name]
        const result =
          set !== undefined && set !== '' ? set : withDefault === undefined ? undefined : (fallback ?? '')
        if (result === undefined) {
          throw new RunError(
            'SECRET_UNSET',
            `${path}: the environment variable ${name} is not set and has no default`,
            {
              path,
              hint: `set ${name}, or write \${${name}:-default}`,
            },
          )
        }
        if (set !== undefined && set !== '') expanded.push({ name, value: result })
        return result
      },
    )
  const walk = (input: unknown, path: string): unknown => {
    if (typeof input === 'string') return text(input, path)
    if (Array.isArray(input)) return input.map((item, i) => walk(item, `${path}[${i}]`))
    if (input === null || typeof input !== 'object') return input
    return Object.fromEntries(Object.entries(input).map(([key, item]) => [key, walk(item, `${path}.${key}`)]))
  }
  // Strings become strings and everything else keeps its shape, which the type system cannot see.
  return { value: walk(value, where) as T, expanded }
}
