/** The spellings under which a secret can turn up in texts (SPEC section 16.3). */

/** The secret itself and its URL-, JSON- and base64-encoded forms, without doubles. */
export function secretForms(secret: string): Set<string> {
  return new Set([secret, ...urlForms(secret), ...jsonForms(secret), ...base64Forms(secret)])
}

function urlForms(secret: string): string[] {
  const component = encodeURIComponent(secret.toWellFormed())
  const strict = component.replace(
    /[!'()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const whole = encodeURI(secret.toWellFormed())
  const upper = [component, strict, whole, new URLSearchParams({ '': secret }).toString().slice(1)]
  return [...upper, ...upper.map((form) => form.replace(/%[0-9A-F]{2}/g, (found) => found.toLowerCase()))]
}

function jsonForms(secret: string): string[] {
  const plain = escaped(secret)
  const unicode = (text: string, pattern: RegExp) =>
    text.replace(pattern, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [
    plain,
    // JSON inside a JSON string, as tools return it.
    escaped(plain),
    // Python escapes all that is not ASCII, Go escapes what could be HTML, PHP the slash.
    unicode(plain, /[^\0-\x7f]/g),
    unicode(plain, /[<>&]/g),
    plain.replaceAll('/', '\\/'),
  ]
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/**
 * Base64 of the secret alone, and the characters that it yields inside a longer text at each of the three places that a
 * byte can have in a group; characters that also hold bits of the neighbours are left out.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  const inner = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const mixedEnd = (shift + bytes.length) % 3 === 0 ? 0 : 1
    // `shift` foreign bytes fill so many whole characters and a part of the next.
    return text.slice(Math.ceil((shift * 8) / 6), text.length - mixedEnd)
  })
  const alone = bytes.toString('base64')
  const forms = [alone, alone.replace(/=+$/, ''), ...inner]
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))]
}
