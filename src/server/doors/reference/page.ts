// The reference page: the whole document as one page of plain HTML, with a small script of our own for the search.
import { createHash } from 'node:crypto'
import { escapeHtml } from '../../../kit/html.ts'
import { colours, mark } from '../pages.ts'
import { type OperationObject, operationHtml } from './operation.ts'
import { fields, inline, type Schema, typeOf } from './schemas.ts'
import { style } from './style.ts'

export type Document = {
  info: { title: string; version: string; description: string }
  servers: readonly { url: string }[]
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    responses: Readonly<Record<string, { description: string }>>
  }
}

type Statuses = ReadonlyMap<string, string>

const css = `${colours}${style}`

export const referencePolicy =
  `default-src 'none'; script-src 'self'; style-src 'sha256-${createHash('sha256').update(css).digest('base64')}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Everything is in the page: without the script, the browser's own search finds it. */
export function referencePage(document: Document): string {
  const { info, tags } = document
  const links = tags.map(({ name }) => `<li><a href="#area-${name}">${name}</a></li>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · ${escapeHtml(info.title)}</title>
<style>${css}</style>
<script src="/docs/search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the operations</a>
<header>
<p class="brand">${mark} <a href="/">${escapeHtml(info.title)}</a></p>
<p class="links"><a href="/">Back to the console</a> <a href="/v1/openapi.json">OpenAPI document</a></p>
</header>
<div class="columns">
<nav aria-label="Areas"><ul><li><a href="#introduction">Introduction</a></li>
${links.join('\n')}
<li><a href="#refusals">Refusals</a></li><li><a href="#records">Records</a></li></ul></nav>
<main id="content">
<h1>API reference</h1>
<form role="search" id="search" hidden><label for="words">Search operations</label>
<input type="search" id="words" autocomplete="off" spellcheck="false"><p id="found" role="status"></p></form>
<section id="introduction"><h2>Introduction</h2>${paragraphs(info.description)}</section>
${tags.map(tag => areaHtml(document, tag)).join('\n')}
${refusalsHtml(statusesOf(document))}
${recordsHtml(document)}
</main>
</div>
</body>
</html>
`
}

/** Headings, paragraphs and code are all that the introduction uses. */
function paragraphs(text: string): string {
  return text
    .split(/\n+/)
    .map(line => (line.startsWith('## ') ? `<h3>${inline(line.slice(3))}</h3>` : `<p>${inline(line)}</p>`))
    .join('\n')
}

function areaHtml({ paths, servers }: Document, { name, description }: Document['tags'][number]): string {
  const publicUrl = servers[0]?.url ?? ''
  const own = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(name))
      .map(([method, operation]) => operationHtml(operation, { method, path, publicUrl })),
  )
  return `<section class="area" id="area-${name}"><h2>${escapeHtml(name)}</h2><p>${inline(description)}</p>
${own.join('\n')}</section>`
}

/** Status → what the table of errors calls it. */
function statusesOf({ paths, components }: Document): Statuses {
  const statuses = new Map<string, string>()
  for (const operation of Object.values(paths).flatMap(methods => Object.values(methods))) {
    for (const [status, { $ref }] of Object.entries(operation.responses)) {
      const kind = $ref?.slice($ref.lastIndexOf('/') + 1)
      if (kind) statuses.set(status, components.responses[kind]?.description ?? '')
    }
  }
  return statuses
}

function refusalsHtml(statuses: Statuses): string {
  const entries = [...statuses].sort().map(([status, text]) => {
    return `<dt id="status-${status}"><code>${status}</code></dt><dd>${escapeHtml(text)}</dd>`
  })
  return `<section id="refusals"><h2>Refusals</h2>
<p>Every refusal is a <a href="#schema-Failure">Failure</a>.</p><dl class="fields">${entries.join('\n')}</dl></section>`
}

function recordsHtml({ components }: Document): string {
  const records = Object.entries(components.schemas).sort(([one], [other]) => (one < other ? -1 : 1))
  const parts = records.map(([name, schema]) => {
    const inside = schema.properties ? fields(schema) : `<p>${typeOf(schema)}</p>`
    return `<details id="schema-${name}"><summary><span class="what">${escapeHtml(name)}</span></summary>
${schema.description ? `<p>${inline(schema.description)}</p>` : ''}${inside}</details>`
  })
  return `<section id="records"><h2>Records</h2>${parts.join('\n')}</section>`
}
