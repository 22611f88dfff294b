// What cannot be added up: `1.5 20*3` are four values, `uk9x0q1a` is somebody who did something.

const space = 32
/** Of people that were just met, a power of two. */
const mostMet = 4_096

/**
 * How many there are, each once. Most are met again in the next hour: those are told by their letters, seven bits each,
 * and only the others become strings. Of 750,000, which a question over 90 days asks for, a set of all takes twice as long.
 */
export function distinct(spread: string | null): number {
  if (spread === null) return 0
  const seen = new Set<string>()
  const highs = new Int32Array(mostMet)
  const lows = new Int32Array(mostMet)
  let [from, high, low] = [0, 0, 0]
  for (let index = 0; index <= spread.length; index++) {
    const letter = index < spread.length ? spread.charCodeAt(index) : space
    if (letter !== space) {
      high = (high << 7) | (low >>> 23)
      low = ((low << 7) | letter) & 0x3fff_ffff
      continue
    }
    const place = (Math.imul(low ^ Math.imul(high, 0x85eb_ca6b), 0x9e37_79b1) >>> 12) & (mostMet - 1)
    if (lows[place] !== low || highs[place] !== high) {
      lows[place] = low
      highs[place] = high
      seen.add(spread.slice(from, index))
    }
    from = index + 1
    high = low = 0
  }
  return seen.size
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
