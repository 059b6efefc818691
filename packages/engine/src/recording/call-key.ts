import type { Json, JsonObject } from '@huntfleet/contract'
import { toExact } from '../json/to-exact.ts'
import { toPlain } from '../json/to-plain.ts'

/** Stands for the run's id in recorded arguments: a replay has an id of its own. */
const runIdMark = '{{run.id}}'

/** Arguments as a recording holds them: without secrets and without the id of the run. */
export function recordedArgs(
  args: JsonObject,
  { runId, mask }: { runId: string; mask(text: string): string },
): JsonObject {
  const text = (value: string) => mask(value).replaceAll(runId, runIdMark)
  const replaced = (value: Json): Json => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(replaced)
    if (value === null || typeof value !== 'object') return value
    return object(value)
  }
  // fromEntries defines properties, so that a key `__proto__` is a key. Arguments nest no deeper than a binding does.
  const object = (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([key, member]) => [text(key), replaced(member)]))
  return object(args)
}

/** Arguments as the JSON that they are by construction; the port of a session cannot say so. */
export function plainArgs(args: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, toPlain(toExact(value))]))
}

/** The same text for the same call, whatever the order of its arguments. */
export function callKey(...parts: Json[]): string {
  return JSON.stringify(parts.map(sorted))
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]))
}
