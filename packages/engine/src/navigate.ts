import { type AnswerSpec, RunError } from '@huntfleet/contract'
import { arrayPaths, describeKeys, kindOfExact } from './describe-keys.ts'
import { compactJson } from './json/compact.ts'
import { type Exact, type ExactArray, type ExactObject, isExactArray, isExactObject } from './json/exact.ts'
import { compilePath, type Path, readPath, tracePath } from './path.ts'
import type { RowReject } from './source-row.ts'

/** The elements of an answer that are to become rows, and what stands around them. */
export interface Items {
  elements: readonly Exact[]
  /** The arrays and objects that carry the rows; text rules must not see them. */
  containers: readonly (ExactArray | ExactObject)[]
  /** The objects around the rows, outermost first: where flags about the rows stand. */
  holders: readonly ExactObject[]
  /** The object that is the only row, when it stands where an array of rows might. */
  lone: ExactObject | null
  /** JSON values of the answer that are no rows: where cursors, totals and errors are looked up. */
  documents: readonly Exact[]
  rejects: readonly RowReject[]
  notes: readonly string[]
  /** Why there are no rows to be had; whoever has looked for error payloads throws it. */
  failure: RunError | null
}

const nothing: Items = {
  elements: [],
  containers: [],
  holders: [],
  lone: null,
  documents: [],
  rejects: [],
  notes: [],
  failure: null,
}

/**
 * From the JSON values of an answer (one per block) to its row elements, SPEC section 6. One value: an array is the
 * rows; an object has them at `items_path`, or is the row (`single_item`). Several: with an `items_path` those count
 * in which it leads somewhere; else arrays are concatenated, and objects are one row each. `broken` counts the blocks
 * that would be JSON if they were whole: an object beside one is a row of several.
 */
export function navigate(roots: readonly Exact[], answer: AnswerSpec, broken = 0): Items {
  const path = answer.itemsPath === null ? null : compilePath(answer.itemsPath)
  const containers = roots.filter((root) => isExactArray(root) || isExactObject(root))
  const [first] = containers
  if (first === undefined) return scalarsOnly(roots, answer)
  const beside = broken > 0 && isExactObject(first) && path === null && !answer.singleItem
  if (containers.length === 1 && answer.blocks !== 'each' && !beside) return navigateOne(first, answer, path)
  return navigateSeveral(containers, answer, path)
}

function scalarsOnly(roots: readonly Exact[], answer: AnswerSpec): Items {
  const scalar = roots.find((root) => root !== null)
  if (scalar === undefined) return nothing
  const wanted = answer.itemsPath === null ? 'an array of rows' : `an object with ${answer.itemsPath}`
  return {
    ...nothing,
    failure: new RunError(
      'ITEMS_NOT_FOUND',
      `the answer is ${kindOfExact(scalar)} where ${wanted} was expected`,
      {
        hint: 'look at one page with `huntfleet preview`; text_path decodes text held inside JSON',
      },
    ),
  }
}

function navigateSeveral(
  roots: readonly (ExactArray | ExactObject)[],
  answer: AnswerSpec,
  path: Path | null,
): Items {
  const leading = path === null ? [] : roots.filter((root) => readPath(root, path) !== undefined)
  if (leading.length > 0 && (answer.blocks !== 'each' || leading.length === roots.length)) {
    const passed = roots.length - leading.length
    const notes = passed === 0 ? [] : [`${passed} JSON blocks without ${answer.itemsPath} were passed over`]
    const parts = leading.map((root) => navigateOne(root, answer, path))
    return { ...join(parts), documents: roots, notes }
  }
  const arrays = roots.filter(isExactArray)
  if (arrays.length > 0 && answer.blocks !== 'each') return arraysBesideObjects(roots, arrays)
  // An array among rows of `each` gives its elements: a list tool whose list came in one block.
  return {
    ...nothing,
    elements: roots.flatMap((root) => (isExactArray(root) ? root : [root])),
    containers: roots,
    lone: roots.length === 1 && isExactObject(roots[0]) ? roots[0] : null,
    documents: roots.length === 1 ? roots : [],
  }
}

function arraysBesideObjects(
  roots: readonly (ExactArray | ExactObject)[],
  arrays: readonly ExactArray[],
): Items {
  const rejects = roots.flatMap((root, index): RowReject[] => {
    if (isExactArray(root)) return []
    const reason = `block ${index + 1} is an object beside blocks that are arrays of rows; content.blocks chooses`
    return [{ row: index + 1, reason, raw: compactJson(root), stored: false }]
  })
  return {
    ...nothing,
    elements: arrays.flat(1),
    containers: arrays,
    documents: roots.filter(isExactObject),
    rejects,
  }
}

/** The parts' elements one after the other. */
function join(parts: readonly Items[]): Items {
  return {
    elements: parts.flatMap((part) => part.elements),
    containers: parts.flatMap((part) => part.containers),
    holders: parts.flatMap((part) => part.holders),
    lone: null,
    documents: parts.flatMap((part) => part.documents),
    rejects: parts.flatMap((part) => part.rejects),
    notes: parts.flatMap((part) => part.notes),
    failure: parts.find((part) => part.failure !== null)?.failure ?? null,
  }
}

function navigateOne(root: ExactArray | ExactObject, answer: AnswerSpec, path: Path | null): Items {
  if (isExactArray(root)) return navigateArray(root, answer, path)
  if (path !== null) return navigatePath(root, answer, path)
  if (answer.singleItem || answer.rows === 'columns') return loneRow(root, [root], [])
  return { ...nothing, documents: [root], failure: noPath(root) }
}

/** A root array is the rows, whatever `items_path` says, unless that leads into it or into each of its elements. */
function navigateArray(root: ExactArray, answer: AnswerSpec, path: Path | null): Items {
  const whole: Items = { ...nothing, elements: root, containers: [root], documents: [root] }
  if (path === null) return whole
  if (readPath(root, path) !== undefined) return navigatePath(root, answer, path)
  const inner = root.map((element) => readPath(element, path))
  if (!inner.some(isExactArray) || !inner.every((value) => value === null || isExactArray(value)))
    return whole
  return { ...whole, elements: inner.flatMap((value) => (isExactArray(value) ? value : [])) }
}

function navigatePath(root: ExactArray | ExactObject, answer: AnswerSpec, path: Path): Items {
  const trail = tracePath(root, path)
  const holders = trail?.slice(0, -1).filter(isExactObject) ?? []
  const target = trail?.at(-1)
  if (target === null) return { ...nothing, holders, documents: [root] }
  if (isExactArray(target))
    return { ...nothing, elements: target, containers: [target], holders, documents: [root] }
  if (isExactObject(target)) return loneRow(target, [root], holders)
  return { ...nothing, documents: [root], failure: notAtPath(root, answer.itemsPath ?? '', target) }
}

function loneRow(row: ExactObject, documents: readonly Exact[], holders: readonly ExactObject[]): Items {
  return { ...nothing, elements: [row], containers: [row], holders, lone: row, documents }
}

function notAtPath(root: Exact, path: string, found: Exact | undefined): RunError {
  const what = found === undefined ? 'is not in the answer' : `holds ${kindOfExact(found)}, not rows`
  return new RunError(
    'ITEMS_NOT_FOUND',
    `items_path ${path} ${what}; ${describeKeys(root)}${nestedArrays(root)}`,
    {
      hint: pathHint(root),
    },
  )
}

function noPath(root: ExactObject): RunError {
  return new RunError(
    'ITEMS_NOT_FOUND',
    `the answer is one object, and none of items_path, single_item and content.blocks: each says where its rows are; ${describeKeys(root)}${nestedArrays(root)}`,
    {
      hint: `${pathHint(root)}; single_item: true makes the object the row; content.blocks: each does so for a tool that sends one block per row`,
    },
  )
}

/** The arrays that the list of keys does not show. */
function nestedArrays(root: Exact): string {
  const nested = arrayPaths(root).filter((path) => path.includes('.'))
  return nested.length === 0 ? '' : `; arrays further in: ${nested.join(', ')}`
}

function pathHint(root: Exact): string {
  const paths = arrayPaths(root)
  return paths.length === 0
    ? 'nothing in it holds an array'
    : `set items_path to where the rows are: ${paths.join(', ')}`
}
