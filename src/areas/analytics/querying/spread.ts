// What cannot be added up: `1.5 20*3` are four values, `u7h2k9x0q1a*2` is somebody who did something twice.

/** How many there are, each once. */
export function distinct(spread: string | null): number {
  return spread === null ? 0 : timesIn(spread).size
}

/** Between two values as far as the part says; nothing where there are none. */
export function percentiles(spread: string | null, parts: readonly number[]): number[] {
  if (spread === null) return []
  const counted = [...timesIn(spread)].map(([text, times]) => ({ value: Number(text), times }))
  const sorted = counted.sort((one, other) => one.value - other.value)
  const total = sorted.reduce((sum, { times }) => sum + times, 0)
  return parts.map(part => {
    const place = part * (total - 1)
    const [below, above] = [valueAt(sorted, Math.floor(place)), valueAt(sorted, Math.ceil(place))]
    return below + (above - below) * (place - Math.floor(place))
  })
}

function valueAt(sorted: readonly { value: number; times: number }[], place: number): number {
  let passed = 0
  for (const { value, times } of sorted) {
    passed += times
    if (passed > place) return value
  }
  return sorted.at(-1)?.value ?? 0
}

function timesIn(spread: string): Map<string, number> {
  const times = new Map<string, number>()
  for (const token of spread.split(' ')) {
    const star = token.indexOf('*')
    const said = star === -1 ? token : token.slice(0, star)
    times.set(said, (times.get(said) ?? 0) + (star === -1 ? 1 : Number(token.slice(star + 1))))
  }
  return times
}
