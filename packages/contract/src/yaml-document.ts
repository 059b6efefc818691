import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type Scalar,
  type YAMLMap,
} from 'yaml'

/** YAML text as a tree of nodes that know their offsets, read in bounded time and depth. */
export interface ParsedYaml {
  /** null when the text is too much to read. */
  document: Document | null
  lines: LineCounter
  /** What is wrong, with its offset in the text. */
  problems: YamlProblem[]
}

interface YamlProblem {
  message: string
  offset: number
}

/** Deeper nesting is no strategy, and would exhaust the composer's stack. */
export const maxYamlDepth = 100
export const tooDeep = `the file nests deeper than ${maxYamlDepth} levels`
/** About 12,000 lines; reading this much takes less than a second. */
const maxLexemes = 100_000

/**
 * Reads one YAML 1.2 document with `<<` merge keys. Keys are text, whatever they look like. The lexer and the parser
 * keep their own stacks, so that nesting is measured before the recursive composer sees it.
 */
export function parseYamlDocument(text: string): ParsedYaml {
  const lines = new LineCounter()
  const refused = (message: string): ParsedYaml => ({
    document: null,
    lines,
    problems: [{ message, offset: parser.offset }],
  })
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  const tokens = []
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1
    if (lexemes > maxLexemes) return refused(`the file has more than ${maxLexemes} words and signs`)
    tokens.push(...parser.next(lexeme))
    if (parser.stack.length > maxYamlDepth) return refused(tooDeep)
  }
  tokens.push(...parser.end())
  const composer = new Composer({
    merge: true,
    intAsBigInt: true,
    stringKeys: true,
    // Checked below: the library compares every pair of keys.
    uniqueKeys: false,
    logLevel: 'silent',
  })
  const [document, second] = [...composer.compose(tokens, true, text.length)]
  if (document === undefined) throw new Error('a stream that must hold a document holds none')
  const problems: YamlProblem[] = [...document.errors, ...document.warnings].map((error) => ({
    message: `not valid YAML: ${error.message}`,
    offset: error.pos[0],
  }))
  if (second !== undefined) {
    const offset = second.contents?.range?.[0] ?? second.range[0]
    problems.push({ message: 'a second document begins here; a file holds one', offset })
  }
  if (problems.length === 0) checkNode(document.contents, new Set(), problems)
  return { document, lines, problems }
}

/** Duplicate keys, unknown anchors and merges of what is no map; in document order, as anchors are defined. */
function checkNode(node: unknown, anchors: Set<string>, problems: YamlProblem[]): void {
  if (isAlias(node)) {
    if (!anchors.has(node.source))
      problems.push({
        message: `there is no anchor &${node.source} before this`,
        offset: node.range?.[0] ?? 0,
      })
    return
  }
  if (isMap(node)) checkMap(node, anchors, problems)
  else if (isSeq(node)) for (const item of node.items) checkNode(item, anchors, problems)
  // Only now: a node that holds itself would have no end.
  if (isNode(node) && node.anchor !== undefined) anchors.add(node.anchor)
}

function checkMap(map: YAMLMap, anchors: Set<string>, problems: YamlProblem[]): void {
  const seen = new Set<string>()
  for (const { key, value } of map.items) {
    if (!isScalar(key)) continue
    const name = String(key.value)
    const offset = key.range?.[0] ?? 0
    if (seen.has(name))
      problems.push({ message: `the key ${JSON.stringify(name)} stands twice; keep one of the two`, offset })
    // It would be the prototype of the map, not an entry.
    if (name === '__proto__') problems.push({ message: 'the key "__proto__" is not allowed', offset })
    if (isMergeKey(key) && !isMergeable(value))
      problems.push({ message: '<< takes a map: *name, or a list of such', offset })
    seen.add(name)
    checkNode(key, anchors, problems)
    checkNode(value, anchors, problems)
  }
}

/** Whether a key is YAML's `<<`. In quotes it is a key like any other. */
export function isMergeKey(key: Scalar): boolean {
  return String(key.value) === '<<' && (key.type === undefined || key.type === 'PLAIN')
}

/** Whether `<<` can be filled from it; what an alias stands for is seen when it is expanded. */
function isMergeable(value: unknown): boolean {
  if (isSeq(value)) return value.items.every((item) => isAlias(item) || isMap(item))
  return isAlias(value) || isMap(value)
}
