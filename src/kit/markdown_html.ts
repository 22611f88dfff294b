// Markdown of people as HTML that can do nothing: no tags of their own, no pictures from elsewhere, no fields.
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'

type Options = {
  /** Of all headings: one level, so that the page keeps its own order. */
  headings: 3 | 4 | 5
  /** Makes the ids of its footnotes unlike those of another text on the same page. */
  name: string
}

/**
 * What is written as HTML is shown as text; links lead to the web or to mail, or nowhere. Pictures become their words, and
 * boxes of task lists become signs, since neither a request nor a field belongs on such a page.
 */
export function markdownHtml(markdown: string, { headings, name }: Options): string {
  let tables = 0
  const html = micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml({ clobberPrefix: `${name}-`, labelTagName: `h${headings}`, labelAttributes: '' })],
  })
  return html
    .replace(/\b(id|aria-describedby)="footnote-label"/g, `$1="${name}-footnotes"`)
    .replace(/<img\b[^>]*>/g, tag => `<span class="image">${/\balt="([^"]*)"/.exec(tag)?.[1] || 'image'}</span>`)
    .replace(/<input\b[^>]*>/g, tag => (/\bchecked/.test(tag) ? '☑' : '☐'))
    .replace(/<a href="([^"]*)" title="[^"]*">/g, '<a href="$1">')
    .replace(/<a href="([^"]*)"[^>]*><\/a>/g, '')
    .replace(/<a href="(?!#)/g, '<a rel="noreferrer noopener nofollow" href="')
    .replace(/<h[1-6][^>]*>\s*<\/h[1-6]>/g, '')
    .replace(/<(\/?)h[1-6]\b/g, `<$1h${headings}`)
    .replace(/<th([^>]*)>\s*<\/th>/g, '<td$1></td>')
    .replace(
      /<table>/g,
      () => `<div class="table" role="region" aria-label="Table ${++tables} of ${name}" tabindex="0"><table>`,
    )
    .replace(/<\/table>/g, '</table></div>')
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** What a reader of such HTML sees, and where its links lead, one below the other. */
export function textOfHtml(markup: string): string {
  // An address that became a link by itself is seen once, with what stands around it.
  const html = markup.replace(/<a [^>]*href="mailto:([^"]*)">\1<\/a>/g, '$1')
  const links = [...html.matchAll(/\shref="([^"]*)"/g)].map(([, href = '']) => unescaped(decoded(href)))
  return [
    decoded(html.replace(/<\/(?:p|li|td|th|h\d|div|pre|tr)>|<br[^>]*>/g, '\n').replace(/<[^>]*>/g, '')),
    ...links,
  ].join('\n')
}

function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => entities[name] ?? whole)
}

function unescaped(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
