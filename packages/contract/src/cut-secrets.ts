/** Texts of sources are cut before they become messages; the mark of a cut. */
const cutMark = '…'
/** A shorter piece of a secret tells too little, and stands in too many words. */
const shortestPiece = 6

/**
 * Masks what a cut left of a secret: the beginning of one right before a `…`, the end of one right behind it. A whole
 * secret has been masked before. `mask` stands in its place.
 */
export function maskCutSecrets(text: string, secrets: ReadonlySet<string>, mask: string): string {
  if (!text.includes(cutMark)) return text
  const pieces = text.split(cutMark)
  return pieces
    .map((piece, i) => {
      const behindCut = i === 0 ? piece : withoutEnd(piece, secrets, mask)
      return i === pieces.length - 1 ? behindCut : withoutBeginning(behindCut, secrets, mask)
    })
    .join(cutMark)
}

/** The piece without the beginning of a secret that it ends with. */
function withoutBeginning(piece: string, secrets: ReadonlySet<string>, mask: string): string {
  const length = longestPart(piece, secrets, (secret, part) => piece.endsWith(secret.slice(0, part)))
  return length === 0 ? piece : piece.slice(0, -length) + mask
}

/** The piece without the end of a secret that it begins with. */
function withoutEnd(piece: string, secrets: ReadonlySet<string>, mask: string): string {
  const length = longestPart(piece, secrets, (secret, part) => piece.startsWith(secret.slice(-part)))
  return length === 0 ? piece : mask + piece.slice(length)
}

/** Length of the longest part of a secret that is found, less than the whole of it; 0 where none is long enough to tell. */
function longestPart(
  piece: string,
  secrets: ReadonlySet<string>,
  found: (secret: string, length: number) => boolean,
): number {
  let longest = 0
  for (const secret of secrets) {
    const shortest = Math.max(shortestPiece, longest + 1)
    for (let length = Math.min(secret.length - 1, piece.length); length >= shortest; length--) {
      if (!found(secret, length)) continue
      longest = length
      break
    }
  }
  return longest
}
