/**
 * An array whose elements are made when they are read, and each time anew: most pages go to their columns without that,
 * and whoever looks at one row of them need not pay for all. It is a proxy because everything that takes an answer apart
 * takes arrays.
 */
export function lazyArray<T>(length: number, element: (index: number) => T): T[] {
  const indexOf = (key: string | symbol) => {
    const index = typeof key === 'string' ? Number(key) : Number.NaN
    return Number.isInteger(index) && index >= 0 && index < length && String(index) === key ? index : -1
  }
  /** What a proxy says of its keys must be true of its target. */
  const fill = (target: T[]) => {
    for (let index = target.length; index < length; index++) target.push(element(index))
  }
  return new Proxy<T[]>([], {
    get(target, key, receiver) {
      if (key === 'length') return length
      const index = indexOf(key)
      return index < 0 ? Reflect.get(target, key, receiver) : (target[index] ?? element(index))
    },
    has: (target, key) => indexOf(key) >= 0 || Reflect.has(target, key),
    ownKeys(target) {
      fill(target)
      return Reflect.ownKeys(target)
    },
    getOwnPropertyDescriptor(target, key) {
      fill(target)
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
  })
}
