/** Memory of pages that have been staged, for the next ones: new memory costs more than the places that it holds. */
const spare: Int32Array[] = []
/** More arrays than a wide table has would only lie about. */
const mostSpare = 256
const largestSpare = 1 << 20
/** Few places are made faster than looked for. */
const leastSpare = 1 << 10

/** So many places at least, all 0. */
export function takePlaces(length: number): Int32Array {
  const last = length < leastSpare ? undefined : spare.at(-1)
  if (last === undefined || last.length < length || last.length > 4 * length) return new Int32Array(length)
  spare.pop()
  return last.fill(0)
}

/** Takes places back; nobody may use them any more. */
export function givePlaces(places: Int32Array): void {
  if (places.length < leastSpare || places.length > largestSpare) return
  // The oldest goes: pages are mostly as large as the ones before them.
  if (spare.length === mostSpare) spare.shift()
  spare.push(places)
}
