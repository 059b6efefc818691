import { setTimeout as delay } from 'node:timers/promises'

/** Writes a text in pieces with pauses between them, or at once when no pace is given. */
export async function drip(
  text: string,
  pace: { pieces: number; everyMs: number } | undefined,
  write: (piece: string) => void,
): Promise<void> {
  if (!pace) {
    write(text)
    return
  }
  const size = Math.max(1, Math.ceil(text.length / pace.pieces))
  for (let from = 0; from < text.length; from += size) {
    write(text.slice(from, from + size))
    await delay(pace.everyMs)
  }
}
