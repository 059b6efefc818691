import { type Coercion, reject, showValue } from './rejection.ts'

// RFC 9562; braces as Windows writes GUIDs, `urn:uuid:` as RFC 9562 section 4 has it, or 32 digits without hyphens.
const uuidPattern =
  /^(?:urn:uuid:|\{)?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i

/** A UUID in any case, with or without hyphens, braces or `urn:uuid:`, as lower-case 8-4-4-4-12. Blank text is null. */
export const uuidCoercion: Coercion = (value) => {
  if (typeof value === 'string') {
    const text = value.trim()
    if (text === '') return null
    const match = uuidPattern.exec(text)
    if (match !== null && text.startsWith('{') === text.endsWith('}'))
      return match.slice(1).join('-').toLowerCase()
  }
  return reject(`${showValue(value)} is not a UUID such as 6f9619ff-8b86-d011-b42d-00cf4fc964ff`)
}
