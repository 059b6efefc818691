/**
 * What `JSON.parse` loses of numbers, looked up in the text only when it matters.
 *
 * A number of at most 15 digits comes back from a double as it was: 15 is `DBL_DIG` of IEEE 754. So only a longer one can
 * be another after parsing, and of those only one whose double is not written as it was. The other loss is a number so
 * small that it becomes 0, which takes an exponent of three digits.
 */
export class NumberFidelity {
  readonly #text: string
  #keepsDigits: boolean | undefined
  #mayUnderflow: boolean | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** Whether this number of the text, as it was parsed, has the value that the text says. */
  keeps(value: number): boolean {
    this.#keepsDigits ??= keepsDigits(this.#text)
    if (!this.#keepsDigits || !Number.isFinite(value)) return false
    if (value !== 0) return true
    this.#mayUnderflow ??= tiny.test(this.#text)
    return !this.#mayUnderflow
  }
}

const tiny = /[eE]-\d{3}/

/** Fewer characters, a point among them, cannot hold more than 15 digits. */
const longNumber = 16
const half = longNumber / 2

/**
 * Whether each long number of the text is the shortest spelling of its double. Looks at every sixteenth character: a
 * run of sixteen digits and points has one of those in it, and reaches eight characters to one of its sides.
 */
function keepsDigits(text: string): boolean {
  for (let at = longNumber - 1; at < text.length; at += longNumber) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue
    if (!isDigitOrPoint(text.charCodeAt(at - half)) && !isDigitOrPoint(text.charCodeAt(at + half))) continue
    let start = at
    while (start > 0 && isDigitOrPoint(text.charCodeAt(start - 1))) start--
    let end = at + 1
    while (end < text.length && isDigitOrPoint(text.charCodeAt(end))) end++
    if (end - start >= longNumber && !isFaithful(text, start, end)) return false
    at = Math.max(at, end - longNumber)
  }
  return true
}

function isDigitOrPoint(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2e
}

/** Whether the run is a number that is written as JavaScript writes it, or stands where no number can begin. */
function isFaithful(text: string, start: number, end: number): boolean {
  const before = text.charCodeAt(start - 1)
  // In JSON a number follows a bracket, a comma, a colon, a blank or its sign; other runs are parts of strings.
  if (!numberStarts.has(before)) return true
  const next = text.charCodeAt(end) | 0x20
  if (next === 0x65) return false
  const spelling = text.slice(start, end)
  return String(Number(spelling)) === spelling
}

const numberStarts = new Set(Array.from('[,: \t\n\r-', (character) => character.charCodeAt(0)))
