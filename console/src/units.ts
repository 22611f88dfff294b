// Amounts as people write them: durations, sizes, money; and back.

const durations: readonly [string, number][] = [
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
]

/** 5400 → "1h 30m". */
export function durationOf(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds))
  const parts = durations.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count > 0 ? [`${count}${unit}`] : []
  })
  return parts.join(' ') || '0s'
}

/** "1h 30m" → 5400; a bare number is seconds. Null where it is no duration. */
export function secondsIn(text: string): number | null {
  const trimmed = text.trim().toLowerCase()
  if (/^\d+$/.test(trimmed)) return Number(trimmed)
  if (!/^(\d+\s*[wdhms]\s*)+$/.test(trimmed)) return null
  const sizes = new Map(durations)
  return [...trimmed.matchAll(/(\d+)\s*([wdhms])/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (sizes.get(unit) ?? 0),
    0,
  )
}

const sizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** 1572864 → "1.5 MiB". */
export function bytesOf(bytes: number): string {
  const step = Math.min(sizes.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const amount = bytes / 1024 ** step
  return `${Number(amount.toFixed(amount < 10 ? 1 : 0))} ${sizes[step]}`
}

/** "1.5 MiB", "1.5mb" → 1572864. Null where it is no size. */
export function bytesIn(text: string): number | null {
  const [, amount, unit = 'b'] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?$/i.exec(text.trim()) ?? []
  if (amount === undefined) return null
  return Math.round(Number(amount) * 1024 ** Math.max(0, ' kmgt'.indexOf(unit.toLowerCase() || ' ')))
}

/** 1250 → "12.50". */
export function moneyOf(hundredths: number): string {
  return (hundredths / 100).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

/** "12.5" → 1250. Null where it is no amount. */
export function moneyIn(text: string): number | null {
  const plain = text.trim().replaceAll(',', '')
  return /^-?\d+(\.\d{1,2})?$/.test(plain) ? Math.round(Number(plain) * 100) : null
}
