// A small line beside a name: how something went lately. Its values are told to those who do not see it.

export type SparklineProps = {
  values: readonly number[]
  /** What the values count: "Occurrences in the last 14 days". */
  label: string
  width?: number
  height?: number
  color?: string
}

export function Sparkline({ values, label, width = 96, height = 24, color = 'iris' }: SparklineProps) {
  const most = Math.max(1, ...values)
  const step = values.length > 1 ? (width - 2) / (values.length - 1) : 0
  const points = values.map((value, index): [number, number] => [
    1 + index * step,
    height - 2 - (value / most) * (height - 4),
  ])
  const line = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')
  const end = points.at(-1)
  const ink = `var(--mantine-color-${color}-filled)`
  return (
    <svg width={width} height={height} role="img" aria-label={`${label}: ${values.join(', ')}`}>
      <title>{`${label}: ${values.at(-1) ?? 0} at last, ${Math.max(0, ...values)} at most`}</title>
      {points.length > 1 && (
        <polygon points={`1,${height} ${line} ${width - 1},${height}`} fill={ink} fillOpacity={0.14} />
      )}
      <polyline points={line} fill="none" stroke={ink} strokeWidth={1.5} strokeLinejoin="round" />
      {end && <circle cx={end[0]} cy={end[1]} r={2} fill={ink} />}
    </svg>
  )
}
