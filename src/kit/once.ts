// What is made when it is first asked for, and then kept.

/** A promise that fails is not kept: whoever asks next tries again. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    if (made) return made.value
    const mine = { value: make() }
    made = mine
    if (mine.value instanceof Promise) {
      mine.value.catch(() => {
        if (made === mine) made = undefined
      })
    }
    return mine.value
  }
}
