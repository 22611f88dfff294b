// Words that somebody may have meant.

/** The nearest few, nearest first; none where nothing is near. */
export function near(word: string, known: readonly string[], most = 3): string[] {
  const limit = Math.max(2, Math.floor(word.length / 3))
  return known
    .map(one => ({ one, distance: distance(word.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= limit || (word.length > 3 && one.includes(word)))
    .sort((one, other) => one.distance - other.distance)
    .filter(({ distance }, _, all) => distance <= (all[0]?.distance ?? 0) + 1)
    .slice(0, most)
    .map(({ one }) => one)
}

/** Levenshtein's, one row at a time. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
