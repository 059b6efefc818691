import { fakeCharacters } from './fake-characters.ts'

/** Replaces what a text holds by fakes that look like it: same length, same kind, same punctuation. */
export type FakeText = (text: string) => string

/**
 * Words by which we and others recognise messages, states and the structure of text formats. They tell nothing about
 * anybody, and without them an empty answer or an error would no longer be recognised as one.
 */
const plainWords = new Set(
  `true false none null nan inf infinity yes no on off and or of the for not in is was were a an to with from by more
  result results row rows record records match matches matched count total showing found returned truncated partial
  column columns name names value values query search warning warnings error errors failed failure success ok done
  running pending completed complete finished ready open closed limit limited rate exceeded too many requests retry
  after timeout timed out forbidden unauthorized denied permission access invalid expired cursor page next event
  object list empty zero json csv tsv xml html yaml text markdown sql`.split(/\s+/),
)

const groups = {
  /** A JSON key. */
  key: String.raw`"(?:[^"\\]|\\.){0,200}"(?=\s{0,4}:)`,
  escape: String.raw`\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrtbf"'\\/])`,
  uuid: String.raw`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`,
  date: String.raw`(?<!\d)\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)`,
  time: String.raw`(?<![\d:])\d\d:\d\d(?::\d\d)?(?![\d:])`,
  ip: String.raw`(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])`,
  mac: String.raw`\b[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}\b`,
  hex: String.raw`\b(?:0x)?(?=[a-fA-F]{0,64}\d)(?=\d{0,64}[a-fA-F])[0-9a-fA-F]{8,}\b`,
  number: String.raw`(?<![\w.])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w)`,
  digits: String.raw`\d+`,
  word: '[A-Za-z]+',
  letters: String.raw`[\p{L}\p{N}]+`,
} as const

const pattern = Object.entries(groups)
  .map(([name, source]) => `(?<${name}>${source})`)
  .join('|')

/** Remembered fakes; most values of a table come again. */
const mostRemembered = 50_000
const longestRemembered = 200

/**
 * Makes the fakes of one recording. `keep` are names that stay: columns of text tables. The same text has the same
 * fake everywhere, and different texts have different ones (but for other scripts than Latin), so that cursors, keys
 * and doubles behave as before. Dates keep their month, numbers their first digit, addresses their shape.
 */
export function fakeText(key: Uint8Array, keep: Iterable<string>): FakeText {
  const { permute, shift } = fakeCharacters(key)
  const kept = [...new Set(keep)].filter((name) => name !== '').sort((a, b) => b.length - a.length)
  const phrases = kept.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')
  const master = new RegExp(phrases === '' ? pattern : `(?<![\\w])(?:${phrases})(?![\\w])|${pattern}`, 'gu')
  const remembered = new Map<string, string>()

  const inAlphabet = (text: string, alphabet: string, tweak: string): string => {
    const digits = permute(
      Array.from(text, (character) => alphabet.indexOf(character)),
      alphabet.length,
      tweak,
    )
    return digits.map((digit) => alphabet[digit]).join('')
  }
  const digits = (text: string, tweak: string) => inAlphabet(text, '0123456789', tweak)
  const hex = (text: string): string => {
    const upper = /[A-F]/.test(text)
    const marks = text.replace(/[0-9a-fA-F]/g, '')
    const plain = inAlphabet(
      text.replace(/[^0-9a-fA-F]/g, '').toLowerCase(),
      '0123456789abcdef',
      `hex${upper}${marks}`,
    )
    let at = 0
    const faked = text.replace(/[0-9a-fA-F]/g, () => plain[at++] ?? '')
    return upper ? faked.toUpperCase() : faked
  }
  /** A whole number: as many digits, the first the same, so that it fits the type and the unit that it fitted. */
  const whole = (text: string) =>
    text.slice(0, 1) + (text.length > 1 ? digits(text.slice(1), `n${text[0]}`) : '')
  const number = (text: string): string => {
    const [, integer = '', fraction, exponent = ''] = /^(\d+)(?:\.(\d+))?(.*)$/.exec(text) ?? []
    return whole(integer) + (fraction === undefined ? '' : `.${digits(fraction, `f${integer}`)}`) + exponent
  }
  /** Each part shifted within its own bounds, by what stands before it. */
  const clock = (text: string, before: string): string => {
    const [main = '', fraction] = text.split('.')
    const parts = main.split(':')
    const faked = parts.map((part, i) => {
      const size = i === 0 ? 24 : 60
      const value = Number(part)
      const fake = value < size ? shift(value, size, `t${before}${parts.slice(0, i).join(':')}`) : value
      return String(fake).padStart(2, '0')
    })
    return faked.join(':') + (fraction === undefined ? '' : `.${digits(fraction, `s${before}${main}`)}`)
  }
  const date = (text: string): string => {
    const month = text.slice(0, 8)
    const day = Number(text.slice(8, 10))
    // Every month has 28 days.
    const fake = day >= 1 && day <= 28 ? 1 + shift(day - 1, 28, `d${month}`) : day
    const start = month + String(fake).padStart(2, '0')
    const [, mark = '', time = '', zone = ''] = /^([T ])([\d:.]+)(.*)$/.exec(text.slice(10)) ?? []
    return time === '' ? start : start + mark + clock(time, text.slice(0, 10)) + zone
  }
  const address = (text: string): string => {
    let seen = ''
    return text.replace(/\d+/g, (octet) => {
      const fake = Number(octet) < 256 ? shift(Number(octet), 256, `i${seen}`) : Number(octet)
      seen += `${octet}.`
      return String(fake)
    })
  }
  const word = (text: string): string => {
    const lower = text.toLowerCase()
    if (plainWords.has(lower)) return text
    let faked = lower
    // On until it is none of the words that mean something: so no two words share a fake.
    do faked = inAlphabet(faked, 'abcdefghijklmnopqrstuvwxyz', 'w')
    while (plainWords.has(faked))
    return Array.from(faked, (letter, i) =>
      /[A-Z]/.test(text[i] ?? '') ? letter.toUpperCase() : letter,
    ).join('')
  }
  /** Letters of other scripts, by Latin ones. */
  const letters = (text: string): string => {
    const bytes = Array.from(Buffer.from(text)).flatMap((byte) => [byte >> 4, byte & 15])
    const noise = permute(bytes, 16, 'l')
    return Array.from(text, (_, i) =>
      String.fromCharCode(97 + (((noise[2 * i] ?? 0) * 16 + (noise[2 * i + 1] ?? 0)) % 26)),
    ).join('')
  }
  const fakes: Readonly<Record<string, (text: string) => string>> = {
    uuid: hex,
    date,
    time: (text) => clock(text, ''),
    ip: address,
    mac: hex,
    hex: (text) => (text.startsWith('0x') ? `0x${hex(text.slice(2))}` : hex(text)),
    number,
    digits: whole,
    word,
    letters,
  }
  const fakeOf = (match: string, found: Readonly<Record<string, string | undefined>>): string => {
    const group = Object.keys(fakes).find((name) => found[name] !== undefined)
    const fake = group === undefined ? undefined : fakes[group]
    if (fake === undefined) return match
    const known = remembered.get(`${group} ${match}`)
    if (known !== undefined) return known
    const faked = fake(match)
    if (remembered.size >= mostRemembered) remembered.clear()
    if (match.length <= longestRemembered) remembered.set(`${group} ${match}`, faked)
    return faked
  }
  return (text) => {
    let faked = ''
    let from = 0
    for (const match of text.matchAll(master)) {
      faked += text.slice(from, match.index) + fakeOf(match[0], match.groups ?? {})
      from = match.index + match[0].length
    }
    return faked + text.slice(from)
  }
}
