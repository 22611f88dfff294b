// Rows that are kept are shared between requests: frozen, so that what is made of them can be kept with them.

/** Shared between requests: whoever would change a row must make a copy. */
export function freeze<T>(value: T): T {
  // Bytes cannot be frozen; nobody writes into those of an answer.
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value) && !ArrayBuffer.isView(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) freeze(part)
  }
  return value
}

/** The same value for the same frozen input; `make` must be pure. What is not frozen is made anew each time. */
export function memoize<I extends object, O>(make: (input: I) => O): (input: I) => O {
  const made = new WeakMap<I, O>()
  return input => {
    const known = made.get(input)
    if (known !== undefined) return known
    const value = make(input)
    if (Object.isFrozen(input)) made.set(input, freeze(value))
    return value
  }
}
