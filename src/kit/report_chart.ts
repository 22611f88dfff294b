// Lines over time, drawn as SVG, with the same numbers in a table for who cannot see them.
import { escapeHtml } from './html.ts'

export type Chart = {
  unit: string
  /** One for each place on the line, in order. */
  labels: readonly string[]
  series: readonly { name: string; values: readonly (number | null)[] }[]
}

const size = { width: 720, height: 240, left: 56, right: 12, top: 12, bottom: 28 }
const colours = ['#2563eb', '#d97706', '#059669', '#dc2626', '#7c3aed', '#0891b2', '#be185d', '#4d7c0f']
/** More lines than that nobody can tell apart; the table has all. */
const mostLines = colours.length

export function chartHtml(chart: Chart, name: string): string {
  return `<figure>${svgOf(chart, name)}${legendOf(chart)}${tableOf(chart)}</figure>`
}

function svgOf({ labels, series, unit }: Chart, name: string): string {
  const { width, height, left, right, top, bottom } = size
  const drawn = series.slice(0, mostLines)
  const all = drawn.flatMap(({ values }) => values.filter(value => value !== null))
  const [low, high] = [Math.min(0, ...all), niceTop(Math.max(0, ...all))]
  const x = (index: number) =>
    left + (labels.length > 1 ? (index / (labels.length - 1)) * (width - left - right) : (width - left - right) / 2)
  const y = (value: number) => top + (1 - (value - low) / (high - low || 1)) * (height - top - bottom)
  const lines = drawn.map(({ values }, index) => lineOf(values, x, y, colours[index % colours.length] ?? ''))
  const steps = [low, (low + high) / 2, high].map(
    value =>
      `<line x1="${left}" x2="${width - right}" y1="${round(y(value))}" y2="${round(y(value))}" stroke="currentColor" stroke-opacity="0.15"/>` +
      `<text x="${left - 8}" y="${round(y(value) + 4)}" text-anchor="end" font-size="11" fill="currentColor">${escapeHtml(shown(value))}</text>`,
  )
  const ends = [0, labels.length - 1].filter((place, index) => index === 0 || place > 0)
  const times = ends.map(
    place =>
      `<text x="${round(x(place))}" y="${height - 8}" text-anchor="${place === 0 ? 'start' : 'end'}" font-size="11" fill="currentColor">${escapeHtml(labels[place] ?? '')}</text>`,
  )
  const title = `${name}, ${unit}`
  return `<svg viewBox="0 0 ${width} ${height}" width="100%" role="img" aria-label="${escapeHtml(title)}">${steps.join('')}${times.join('')}${lines.join('')}</svg>`
}

/** Where there is no value, the line has a gap; a value between two gaps is a dot. */
function lineOf(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
  colour: string,
): string {
  const dots: string[] = []
  let path = ''
  values.forEach((value, index) => {
    if (value === null) return
    const [before, after] = [values[index - 1] ?? null, values[index + 1] ?? null]
    path += `${before === null ? 'M' : 'L'}${round(x(index))} ${round(y(value))}`
    if (before === null && after === null) {
      dots.push(`<circle cx="${round(x(index))}" cy="${round(y(value))}" r="3" fill="${colour}"/>`)
    }
  })
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"/>${dots.join('')}`
}

function legendOf({ series }: Chart): string {
  if (series.length < 2) return ''
  const drawn = series.slice(0, mostLines)
  const items = drawn.map(
    ({ name }, index) =>
      `<svg width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="${colours[index]}"/></svg> ${escapeHtml(name)}`,
  )
  const more = series.length > drawn.length ? [`${series.length - drawn.length} more in the table`] : []
  return `<figcaption>${[...items, ...more].join(' · ')}</figcaption>`
}

function tableOf({ labels, series }: Chart): string {
  const head = series.map(({ name }) => `<th scope="col">${escapeHtml(name)}</th>`).join('')
  const rows = labels.map(
    (label, index) =>
      `<tr><th scope="row">${escapeHtml(label)}</th>${series.map(({ values }) => `<td>${cell(values[index])}</td>`).join('')}</tr>`,
  )
  return `<details><summary>Numbers</summary><table><thead><tr><th scope="col">From</th>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></details>`
}

export function chartMarkdown({ labels, series }: Chart, inLine: (text: string) => string): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(['From', ...series.map(({ name }) => inLine(name))]),
    line(['---', ...series.map(() => '---:')]),
    ...labels.map((label, index) => line([inLine(label), ...series.map(({ values }) => cell(values[index]))])),
  ].join('\n')
}

const cell = (value: number | null | undefined) => (value === null || value === undefined ? '–' : shown(value))

function shown(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 10 ? 2 : 1)
}

const round = (value: number) => Math.round(value * 10) / 10

/** 1, 2 or 5 times a power of ten: what a person would write on an axis. */
function niceTop(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find(step => step * power >= value) ?? 10) * power
}
