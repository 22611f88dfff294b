// The table as bars; a logarithmic scale, since a tenth and a hundredth are both worth seeing.
import type { Row } from '../load.ts'

const colours: Record<string, string> = { embedded: '#4263eb', PostgreSQL: '#91a7ff', 'Better Auth': '#adb5bd' }
const width = 860
const left = 230
const bar = 9
const lowest = 0.005

export function plot(rows: readonly Row[]): string {
  const names = Object.keys(colours)
  const high = names.length * (bar + 2) + 14
  const x = (ratio: number) =>
    left + ((width - left - 70) * Math.log10(Math.max(ratio, lowest) / lowest)) / Math.log10(1 / lowest)
  const bars = rows.flatMap((row, index) => {
    const top = 40 + index * high
    return [
      `<text x="${left - 8}" y="${top + high / 2 - 4}" text-anchor="end">${row.name}</text>`,
      ...names.flatMap((name, place) => {
        const ratio = row.ratios[name]
        if (ratio === undefined) return []
        const y = top + place * (bar + 2)
        return [
          `<rect x="${left}" y="${y}" width="${(x(ratio) - left).toFixed(1)}" height="${bar}" fill="${colours[name]}"/>`,
          `<text x="${(x(ratio) + 4).toFixed(1)}" y="${y + bar - 1}" font-size="9">${ratio.toFixed(3)}</text>`,
        ]
      }),
    ]
  })
  const marks = [0.01, 0.1, 1].map(
    ratio =>
      `<line x1="${x(ratio)}" x2="${x(ratio)}" y1="34" y2="${40 + rows.length * high}" stroke="#ced4da"/>` +
      `<text x="${x(ratio)}" y="30" text-anchor="middle" font-size="10">${ratio}</text>`,
  )
  const legend = names.map(
    (name, index) =>
      `<rect x="${left + index * 110}" y="6" width="9" height="9" fill="${colours[name]}"/><text x="${left + 14 + index * 110}" y="14" font-size="10">${name}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${50 + rows.length * high}" font-family="sans-serif" font-size="12">
<title>Requests a second, as a share of a bare server</title>
<rect width="100%" height="100%" fill="#fff"/>
${[...legend, ...marks, ...bars].join('\n')}
</svg>
`
}
