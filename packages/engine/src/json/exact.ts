/**
 * JSON values as they stand in the text: no digit rounded, no key moved, no prototype touched.
 *
 * A number is a JavaScript number only where `String(n)` is its spelling in the text; any other (an integer beyond
 * 2^53, `1.50`, `1e400`, `-0`) is an `ExactNumber` that keeps the spelling. Objects are Maps, so that `__proto__`
 * is a key like any other and `"10"` stays behind `"b"`; a key that comes twice has its last value.
 */
export type Exact = null | boolean | string | number | ExactNumber | ExactArray | ExactObject
export type ExactArray = readonly Exact[]
export type ExactObject = ReadonlyMap<string, Exact>

/** A JSON number whose spelling JavaScript's number would not give back. */
export class ExactNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export function isExactObject(value: Exact | undefined): value is ExactObject {
  return value instanceof Map
}

export function isExactArray(value: Exact | undefined): value is ExactArray {
  return Array.isArray(value)
}
