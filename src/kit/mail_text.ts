// One plain look for every mail: the same words as text and as HTML.
import { partsOf } from '../contract/notifications.ts'
import { escapeHtml } from './html.ts'
import type { Mail } from './jobs.ts'

/** Words of ours, with what people wrote put in so that no mail program makes a link of it. */
type Said = { readonly [words]: string }

const words = Symbol('words')

type Part = { paragraph: Said } | { code: string } | { link: string; label: string }

/** The only way into a paragraph: a mail from us must not carry somebody else's link or message. */
export function said(strings: TemplateStringsArray, ...values: readonly (string | number | Said)[]): Said {
  return { [words]: strings.map((text, index) => (index === 0 ? text : shown(values[index - 1]) + text)).join('') }
}

/** The same for a text of ours with places to be filled in, as `contract/notifications.ts` has them. */
export function saidOf(text: string, values: Readonly<Record<string, string>>): Said {
  const parts = partsOf(text).map((part, index) => (index % 2 === 0 ? part : unlinked(values[part] ?? '…')))
  return { [words]: parts.join('') }
}

function shown(value: string | number | Said | undefined): string {
  return typeof value === 'object' ? value[words] : unlinked(String(value))
}

const longestQuote = 80
/** Dots, colons and at signs between two words, in every script that an address could be written in. */
const joints = /(?<=\S)[.\u2024\u3002\uff0e\uff61:\uff1a@\uff20]+(?=\S)/gu

function apart(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .replace(joints, ' ')
}

/** As it was written, but an address or a link falls into words; without what cannot be seen, and not too long. */
export function unlinked(text: string): string {
  const plain = apart(text).trim()
  const letters = [...plain]
  return letters.length > longestQuote ? `${letters.slice(0, longestQuote).join('')}…` : plain
}

const longestWritten = 4_000

/**
 * A paragraph that a member wrote, with what others wrote put in: whole, and only addresses of this service stay
 * addresses, wherever the rest came from.
 */
export function written(text: string, ownUrl: string): Said {
  const own = new RegExp(`(${ownUrl.replace(/[^\w/:-]/g, '\\$&')}/[\\w\\-./~%?=&#]*)`, 'u')
  const parts = text.slice(0, longestWritten).split(own)
  return { [words]: parts.map((part, index) => (index % 2 === 0 ? apart(part) : part)).join('') }
}

/** An address in full, where it is nothing but one: a mail program makes a mail of it, not a page. */
export function mailAddress(text: string): Said {
  return { [words]: /^[\w+-]+(\.[\w+-]+)*@[\w-]+(\.[\w-]+)+$/.test(text) ? text : unlinked(text) }
}

export function mailOf(to: string, subject: string, parts: readonly Part[]): Mail {
  const text = parts.map(textOf).join('\n\n')
  const html = `<!doctype html><html lang="en"><body style="font:16px/1.5 system-ui,sans-serif;color:#1c2024;max-width:36rem;margin:2rem auto;padding:0 1rem">
${parts.map(htmlOf).join('\n')}
</body></html>`
  return { to, subject, text: `${text}\n`, html }
}

function textOf(part: Part): string {
  if ('paragraph' in part) return part.paragraph[words]
  if ('code' in part) return `    ${part.code}`
  return `${part.label}: ${part.link}`
}

function htmlOf(part: Part): string {
  if ('paragraph' in part) return `<p>${escapeHtml(part.paragraph[words])}</p>`
  if ('code' in part) {
    return `<p style="font:600 24px/1.4 ui-monospace,monospace;letter-spacing:.08em">${escapeHtml(part.code)}</p>`
  }
  return `<p><a href="${escapeHtml(part.link)}">${escapeHtml(part.label)}</a></p>`
}
