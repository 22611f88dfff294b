// One plain look for every mail: the same words as text and as HTML.
import { escapeHtml } from './html.ts'
import type { Mail } from './implement.ts'

type Part = { paragraph: string } | { code: string } | { link: string; label: string }

/** Names and addresses in the parts are text, whatever they hold. */
export function mailOf(to: string, subject: string, parts: readonly Part[]): Mail {
  const text = parts.map(textOf).join('\n\n')
  const html = `<!doctype html><html lang="en"><body style="font:16px/1.5 system-ui,sans-serif;color:#1c2024;max-width:36rem;margin:2rem auto;padding:0 1rem">
${parts.map(htmlOf).join('\n')}
</body></html>`
  return { to, subject, text: `${text}\n`, html }
}

function textOf(part: Part): string {
  if ('paragraph' in part) return part.paragraph
  if ('code' in part) return `    ${part.code}`
  return `${part.label}: ${part.link}`
}

function htmlOf(part: Part): string {
  if ('paragraph' in part) return `<p>${escapeHtml(part.paragraph)}</p>`
  if ('code' in part) {
    return `<p style="font:600 24px/1.4 ui-monospace,monospace;letter-spacing:.08em">${escapeHtml(part.code)}</p>`
  }
  return `<p><a href="${escapeHtml(part.link)}">${escapeHtml(part.label)}</a></p>`
}
