// A report of any area, rendered once to HTML, Markdown and JSON, with nothing in them that others should not read.
import { hash } from 'node:crypto'
import { escapeHtml } from './html.ts'
import { markdownHtml, textOfHtml } from './markdown_html.ts'
import { redact } from './redaction.ts'
import { type Chart, chartHtml, chartMarkdown } from './report_chart.ts'
import { pageStyle } from './report_style.ts'

/** What an area has to tell, in its own words; Markdown stands in `markdown` alone. */
export type Report = {
  title: string
  /** What it was made from: "Issue #412". */
  source: string
  facts: readonly { name: string; value: string }[]
  sections: readonly { title: string; entries: readonly Entry[] }[]
}

type Entry = { heading?: string; at?: string; markdown: string; chart?: Chart }

export type Rendered = {
  title: string
  html: string
  markdown: string
  json: string
  sha256: string
  bytes: number
  redactions: number
}

export type Setting = { pageId: string; kind: string; workspace: string; at: Date }

/** What stands instead of a secret may be longer than that was. */
const mostTitle = 256

/** Takes out what must not be shown, and counts it. */
function censor() {
  let count = 0
  const plain = (text: string) => {
    const { text: rest, count: found } = redact(text)
    count += found
    return rest
  }
  /** Where something is put together only by the formatting, the formatting goes. */
  const markdown = (text: string) => {
    const rest = plain(text)
    const seen = textOfHtml(markdownHtml(rest, { headings: 4, name: 'text' }))
    if (redact(seen).count === 0) return rest
    return fenced(plain(seen))
  }
  return { plain, markdown, count: () => count }
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.trim()}\n${fence}`
}

/** Takes as long as the text wants it to: `rendering.ts` does it in a thread of its own. */
export function render(report: Report, setting: Setting): Rendered {
  const { plain, markdown, count } = censor()
  const clean: Report = {
    title: plain(report.title),
    source: plain(report.source),
    facts: report.facts.map(({ name, value }) => ({ name, value: plain(value) })),
    sections: report.sections.map(({ title, entries }) => ({
      title,
      entries: entries.map(entry => ({
        ...(entry.heading !== undefined && { heading: plain(entry.heading) }),
        ...(entry.at !== undefined && { at: entry.at }),
        markdown: markdown(entry.markdown),
        ...(entry.chart && { chart: cleanChart(entry.chart, plain) }),
      })),
    })),
  }
  const told = { ...setting, workspace: plain(setting.workspace), redactions: count() }
  const html = htmlOf(clean, told)
  const bytes = Buffer.byteLength(html)
  return {
    title: [...clean.title].slice(0, mostTitle).join(''),
    html,
    markdown: markdownOf(clean, told),
    json: jsonOf(clean, told),
    sha256: hash('sha256', html),
    bytes,
    redactions: told.redactions,
  }
}

/** Names of series come from records, and may hold anything. */
function cleanChart({ labels, series, ...rest }: Chart, plain: (text: string) => string): Chart {
  return { ...rest, labels, series: series.map(({ name, values }) => ({ name: plain(name), values })) }
}

type Told = Setting & { redactions: number }

/** ` · 2 redactions`; nothing where there are none. */
function redactionsIn({ redactions }: Told): string[] {
  return redactions === 0 ? [] : [`${redactions} ${redactions === 1 ? 'redaction' : 'redactions'}`]
}

const dateOf = (at: Date | string) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

function htmlOf({ title, source, facts, sections }: Report, told: Told): string {
  const about = [source, told.workspace, dateOf(told.at), ...redactionsIn(told)].map(escapeHtml).join(' · ')
  const rows = facts.map(({ name, value }) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`)
  const parts = sections.map(
    (section, index) => `<section><h2>${escapeHtml(section.title)}</h2>
${section.entries.map((entry, place) => entryHtml(entry, `s${index + 1}e${place + 1}`)).join('\n')}</section>`,
  )
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow"><meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title><style>${pageStyle}</style></head>
<body><main>
<header><h1>${escapeHtml(title)}</h1>
<p class="soft">${about}</p></header>
${rows.length > 0 ? `<dl>${rows.join('')}</dl>` : ''}
${parts.join('\n')}
<footer class="soft"><p>Published with Atrium as ${escapeHtml(told.pageId)}. It shows how things stood on that date.</p></footer>
</main></body></html>
`
}

function entryHtml({ heading, at, markdown, chart }: Entry, name: string): string {
  const time = at === undefined ? '' : ` <time datetime="${escapeHtml(at)}">${escapeHtml(dateOf(at))}</time>`
  const head = heading === undefined ? '' : `<h3>${escapeHtml(heading)}${time}</h3>\n`
  const text = markdownHtml(markdown, { headings: heading === undefined ? 3 : 4, name })
  return `<article>${head}${text}${chart ? chartHtml(chart, heading ?? name) : ''}</article>`
}

function markdownOf({ title, source, facts, sections }: Report, told: Told): string {
  const about = [source, told.workspace, dateOf(told.at), ...redactionsIn(told)].map(inLine).join(' · ')
  const rows = facts.map(({ name, value }) => `- **${inLine(name)}**: ${inLine(value)}`)
  const parts = sections.flatMap(section => [
    `## ${section.title}`,
    ...section.entries.flatMap(({ heading, at, markdown, chart }) => [
      ...(heading === undefined ? [] : [`### ${inLine(heading)}${at === undefined ? '' : ` (${dateOf(at)})`}`]),
      ended(markdown),
      ...(chart ? [chartMarkdown(chart, inLine)] : []),
    ]),
  ])
  const blocks = [
    `# ${inLine(title)}`,
    about,
    rows.join('\n'),
    ...parts,
    '---',
    `Published with Atrium as ${told.pageId}.`,
  ]
  return `${blocks.filter(block => block !== '').join('\n\n')}\n`
}

/** On one line, with nothing in it that Markdown would take for more than text. */
function inLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|~!&]/g, '\\$&')
}

/** A block of code that is not closed would swallow what follows. */
function ended(markdown: string): string {
  let open: string | null = null
  for (const line of markdown.split('\n')) {
    const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line)
    if (!fence) continue
    const [, mark = '', rest = ''] = fence
    if (open === null) open = mark
    else if (mark[0] === open[0] && mark.length >= open.length && rest.trim() === '') open = null
  }
  return open === null ? markdown : `${markdown}\n${open}`
}

function jsonOf({ title, source, facts, sections }: Report, { pageId, kind, workspace, at, redactions }: Told): string {
  const created = at.toISOString()
  return `${JSON.stringify({ id: pageId, kind, title, source, workspace, created, redactions, facts, sections }, null, 2)}\n`
}
