import { maskCutSecrets } from './cut-secrets.ts'
import type { Json } from './json-value.ts'
import { mapJson } from './map-json.ts'
import { NeedleFinder } from './needle-finder.ts'
import { secretForms } from './secret-forms.ts'

/** Keeps secrets out of logs, errors, job data, manifests, recordings and pages (SPEC section 16.3). Rows never pass here. */

export interface Secret {
  name: string
  value: string
}

/** A secret that is too short to be safe. */
export interface ShortSecret {
  name: string
  /** False when it is so short that hiding it would destroy ordinary text: it is not hidden at all. */
  masked: boolean
}

export interface Masker {
  /** The text with every secret, and every encoded form of one, replaced by `***`. */
  mask(text: string): string
  /** A copy with all keys and values masked; a number that is a secret becomes the text `***`. */
  maskJson(value: Json): Json
  /** From now on this value is masked too. For `basic` authentication add `user:password` as well as the password. */
  add(name: string, value: string): void
  /** What it was told to mask so far, in the order it came: for the masker of another thread. */
  readonly secrets: readonly Secret[]
  /** Secrets that the user should be warned about, in the order they came. */
  tooShort(): readonly ShortSecret[]
}

/** What stands in the place of a secret. */
export const maskText = '***'

/** Shorter secrets are not masked by value: they turn up in any text. */
const shortestMasked = 4
/** Shorter secrets are guessed too easily. */
const shortestSafe = 8

/** One pass is enough but for secrets that have `*` in them, which a mask can complete anew. */
const mostPasses = 8

/** Masks these secrets; empty values are no secrets. */
export function createMasker(secrets: Iterable<Secret>): Masker {
  const values = new Set<string>()
  const known: Secret[] = []
  const needles = new Set<string>()
  const short = new Map<string, ShortSecret>()
  let finder: NeedleFinder | undefined

  const mask = (text: string): string =>
    needles.size === 0 ? text : maskCutSecrets(maskWhole(text), needles, maskText)

  const maskWhole = (text: string): string => {
    finder ??= new NeedleFinder(needles)
    let masked = text
    for (let pass = 0; pass < mostPasses; pass += 1) {
      const before = masked
      masked = maskOnce(before, finder)
      if (masked === before) return masked
    }
    return finder.find(masked).length === 0 ? masked : maskText
  }

  const masker: Masker = {
    mask,
    maskJson: (value) =>
      mapJson(value, {
        leaf: (leaf) => {
          if (typeof leaf === 'string') return mask(leaf)
          if (typeof leaf !== 'number') return leaf
          return mask(String(leaf)) === String(leaf) ? leaf : maskText
        },
        key: mask,
      }),
    add: (name, value) => {
      if (value === '') return
      const masked = value.length >= shortestMasked
      if (value.length < shortestSafe) short.set(name, { name, masked })
      if (!masked || values.has(value)) return
      values.add(value)
      known.push({ name, value })
      for (const form of secretForms(value)) if (form.length >= shortestMasked) needles.add(form)
      finder = undefined
    },
    secrets: known,
    tooShort: () => [...short.values()],
  }
  for (const { name, value } of secrets) masker.add(name, value)
  return masker
}

function maskOnce(text: string, finder: NeedleFinder): string {
  let masked = ''
  let from = 0
  for (const { start, end } of finder.find(text)) {
    masked += text.slice(from, start) + maskText
    from = end
  }
  return from === 0 ? text : masked + text.slice(from)
}
