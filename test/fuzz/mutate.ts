import type { SeededRandom } from './seeded-random.ts'

/** Longest input; a quadratic parser takes seconds for it, a linear one milliseconds. */
const longest = 200_000

const strange = [
  '\0',
  '\ufeff',
  '\ud800',
  '\udc00',
  '\u2028',
  '\r',
  '\r\n',
  '\u001b[2J',
  '😀',
  'é',
  '\t',
  '__proto__',
  'constructor',
  'toString',
]

/** A new input out of known ones: pieces of them cut, doubled, moved, mixed with tokens of the grammar and with noise. */
export function mutate(corpus: readonly string[], tokens: readonly string[], random: SeededRandom): string {
  if (random.chance(0.05)) return noise(random)
  let text = random.pick(corpus)
  const times = 1 + random.below(6)
  for (let i = 0; i < times; i += 1)
    text = mutations[random.below(mutations.length)]?.(text, corpus, tokens, random) ?? text
  return text.slice(0, longest)
}

type Mutation = (
  text: string,
  corpus: readonly string[],
  tokens: readonly string[],
  random: SeededRandom,
) => string

const place = (text: string, random: SeededRandom) => random.below(text.length + 1)
const insert = (text: string, at: number, piece: string) => text.slice(0, at) + piece + text.slice(at)
const piece = (text: string, random: SeededRandom) => {
  const start = place(text, random)
  return text.slice(start, start + random.below(40) + 1)
}
const token = (tokens: readonly string[], random: SeededRandom) =>
  random.chance(0.2) ? random.pick(strange) : random.pick(tokens)

const mutations: readonly Mutation[] = [
  (text, _, tokens, random) => insert(text, place(text, random), token(tokens, random)),
  (text, _, __, random) => text.slice(0, place(text, random)),
  (text, _, __, random) => text.slice(place(text, random)),
  (text, _, __, random) => {
    const start = place(text, random)
    return text.slice(0, start) + text.slice(start + random.below(20) + 1)
  },
  (text, _, __, random) => insert(text, place(text, random), piece(text, random)),
  (text, corpus, _, random) => insert(text, place(text, random), piece(random.pick(corpus), random)),
  (text, _, tokens, random) => {
    const at = place(text, random)
    return text.slice(0, at) + token(tokens, random) + text.slice(at + 1)
  },
  (text, _, __, random) => {
    const lines = text.split('\n')
    const line = lines[random.below(lines.length)] ?? ''
    lines.splice(random.below(lines.length + 1), random.below(2), line)
    return lines.join('\n')
  },
  // Rarely very long or very deep: such inputs take most of the time.
  (text, _, tokens, random) =>
    random.chance(0.1)
      ? insert(text, place(text, random), token(tokens, random).repeat(10 ** (1 + random.below(4))))
      : text,
  (text, _, __, random) =>
    random.chance(0.1) ? piece(text, random).repeat(10 ** (1 + random.below(4))) : text,
]

function noise(random: SeededRandom): string {
  const length = random.below(200)
  return Array.from({ length }, () =>
    String.fromCharCode(random.below(random.chance(0.8) ? 128 : 65_536)),
  ).join('')
}
