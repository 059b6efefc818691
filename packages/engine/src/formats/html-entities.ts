/** The named references that servers write; every other character comes as itself or by number. */
const named = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    copy: '©',
    reg: '®',
    trade: '™',
    deg: '°',
    middot: '·',
    bull: '•',
    hellip: '…',
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    laquo: '«',
    raquo: '»',
    times: '×',
    euro: '€',
    pound: '£',
    sect: '§',
    shy: '\u00ad',
  }),
)

/** Replaces character references (`&lt;`, `&#39;`, `&#x27;`); one that is unknown stays as it is. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]{2,8}));/g,
    (whole, decimal, hex, name) => {
      if (typeof name === 'string') return named.get(name) ?? whole
      return character(typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal))
    },
  )
}

/** What is no character of its own becomes U+FFFD, as in the HTML standard. */
function character(code: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}
