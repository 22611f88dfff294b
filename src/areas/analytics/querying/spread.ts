// What cannot be added up: `1.5 20*3` are four values, `u7h2k9x0q1a*2` is somebody who did something twice.

/** How many there are, each once. */
export function distinct(spread: string | null): number {
  const all = new Set<string>()
  for (const token of tokensOf(spread)) {
    const star = token.indexOf('*')
    all.add(star === -1 ? token : token.slice(0, star))
  }
  return all.size
}

/** Between two values as far as the part says; nothing where there are none. */
export function percentiles(spread: string | null, parts: readonly number[]): number[] {
  if (spread === null) return []
  const { valueAt, total } = inOrder(tokensOf(spread))
  return parts.map(part => {
    const place = part * (total - 1)
    const [below, above] = [valueAt(Math.floor(place)), valueAt(Math.ceil(place))]
    return below + (above - below) * (place - Math.floor(place))
  })
}

const tokensOf = (spread: string | null): readonly string[] => spread?.split(' ') ?? []

/** Each value as often as it is said. Sorted as numbers of the machine: a question may ask for hundreds of thousands. */
function inOrder(tokens: readonly string[]): { valueAt: (place: number) => number; total: number } {
  const values = new Float64Array(tokens.length)
  /** Of those that are said to be there several times, how often beyond once. */
  const more = new Map<number, number>()
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as string
    const star = token.indexOf('*')
    const value = Number(star === -1 ? token : token.slice(0, star))
    values[index] = value
    if (star !== -1) more.set(value, (more.get(value) ?? 0) + Number(token.slice(star + 1)) - 1)
  }
  values.sort()
  if (more.size === 0) return { valueAt: place => values[place] ?? 0, total: values.length }
  /** How many there are up to each. */
  const counts = new Float64Array(values.length)
  let total = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number
    total += value === values[index - 1] ? 1 : 1 + (more.get(value) ?? 0)
    counts[index] = total
  }
  return { valueAt: place => values[counts.findIndex(count => count > place)] ?? 0, total }
}
