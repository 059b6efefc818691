import { RunError } from '@huntfleet/contract'
import { printable } from './printable.ts'

/** What a layout's placeholders stand for. */
export interface LayoutValues {
  strategy: string
  table: string
  /** The scheduled day, see `layoutDate`. */
  date: string
  run_id: string
}

/** Every placeholder of a layout. */
export const layoutNames = ['strategy', 'table', 'date', 'run_id'] as const satisfies (keyof LayoutValues)[]
/** Without these two files would overwrite each other. */
const requiredNames = ['run_id', 'table'] as const

/** `{date}` of a run that is scheduled for `scheduledAt` (ISO 8601): that day in UTC, `YYYY-MM-DD`. */
export function layoutDate(scheduledAt: string): string {
  return new Date(scheduledAt).toISOString().slice(0, 10)
}

/** What is wrong with a layout, as a sentence that names the valid placeholders, or undefined. */
export function validateLayout(layout: string): string | undefined {
  for (const [placeholder, name = ''] of layout.matchAll(/\{([^{}]*)\}/g)) {
    if (!isLayoutName(name))
      return `unknown placeholder ${printable(placeholder)}; valid are ${listed(layoutNames)}`
  }
  const missing = requiredNames.find((name) => !layout.includes(`{${name}}`))
  if (missing !== undefined) return `{${missing}} is missing; a layout must contain ${listed(requiredNames)}`
  const literal = layout.replace(/\{[^{}]*\}/g, 'x')
  if (/[{}]/.test(literal)) return `a brace is not closed; placeholders are ${listed(layoutNames)}`
  if (!/^[A-Za-z0-9._=,@+/-]*$/.test(literal))
    return 'only letters, digits and ._=,@+-/ may stand between placeholders'
  const segments = literal.split('/')
  if (segments.some((segment) => segment === '')) return 'it must not begin or end with "/" or contain "//"'
  if (segments.some((segment) => segment === '.' || segment === '..'))
    return '"." and ".." are no folders of a layout'
  if (/^[._]/.test(literal))
    return 'it must not begin with "." or "_": _runs, _rejects, _parts and .tmp are taken'
  return undefined
}

/**
 * The beginning of a file's key, without a trailing slash. Values are escaped, so that none can add a folder or leave
 * one. Throws SINK_INVALID for a layout that `validateLayout` refuses.
 */
export function renderLayout(layout: string, values: LayoutValues): string {
  const fault = validateLayout(layout)
  if (fault !== undefined) {
    throw new RunError('SINK_INVALID', `storage.layout "${printable(layout)}" is not valid: ${fault}`, {
      hint: 'the default is "strategy={strategy}/table={table}/dt={date}/run={run_id}"',
    })
  }
  const rendered = layout.replace(/\{([^{}]*)\}/g, (_, name: string) =>
    isLayoutName(name) ? escaped(values, name) : '',
  )
  // A value in front must not make one of the folders that are ours.
  return rendered.replace(/^[._]/, percentEncoded)
}

function escaped(values: LayoutValues, name: keyof LayoutValues): string {
  const value = values[name]
  if (value === '') throw new RunError('SINK_INVALID', `storage.layout: the value of {${name}} is empty`)
  const safe = value.toWellFormed().replace(/[^A-Za-z0-9._-]+/g, percentEncoded)
  return safe === '.' || safe === '..' ? percentEncoded(safe) : safe
}

function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}

function isLayoutName(name: string): name is keyof LayoutValues {
  return layoutNames.some((known) => known === name)
}

function listed(names: readonly string[]): string {
  return names.map((name) => `{${name}}`).join(', ')
}
