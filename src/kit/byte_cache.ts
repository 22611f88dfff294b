// A cache with a bound in bytes: what was used last stays. For values that never change under their key.

export type ByteCache<V> = {
  get(key: string): V | undefined
  set(key: string, value: V, bytes: number): void
}

/** `mostOfOne`: what is larger is not cached, since it would push out too much. */
export function byteCache<V>(most: number, mostOfOne: number): ByteCache<V> {
  const entries = new Map<string, { value: V; bytes: number }>()
  let total = 0
  function remove(key: string): void {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (!entry) return undefined
      // Moved to the end: the first one is the one that was not used for the longest time.
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, bytes) {
      remove(key)
      if (bytes > mostOfOne) return
      entries.set(key, { value, bytes })
      total += bytes
      for (const oldest of entries.keys()) {
        if (total <= most) break
        remove(oldest)
      }
    },
  }
}
