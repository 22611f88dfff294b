// Templates where more than the text counts: addresses, whose host no value may choose, and headers, which end at a line.
import { badRequest } from '../../../contract/errors.ts'
import { checkTemplate, problemAt, renderWith, type TemplateProblem } from '../../../kit/template.ts'

/** Scheme and host, without a user, up to where the path or the query begins. */
const authority = /^https?:\/\/[^/?#\\@{}\s]+(?=[/?#]|$)/i

/** Null where scheme and host are written out, and placeholders stand in the path or in the query only. */
export function checkUrlTemplate(text: string, roots: readonly string[]): TemplateProblem | null {
  const host = authority.exec(text)?.[0]
  if (host === undefined || !URL.canParse(host)) {
    const at = Math.max(text.indexOf('{{'), 0)
    return problemAt(text, at, 'An address begins with https:// and a host; placeholders stand behind them.')
  }
  const fragment = text.indexOf('#')
  if (fragment !== -1) return problemAt(text, fragment, 'What comes behind # is never sent; leave it out.')
  return checkTemplate(text, roots)
}

/** Each value is one piece of a path or one value of a query: whatever is in it, it ends neither. */
export function renderUrl(template: string, values: object): string {
  const host = authority.exec(template)?.[0]
  if (host === undefined || template.includes('#')) throw badRequest('The address is no template of an address.')
  const url = host + renderWith(template.slice(host.length), values, value => encodeURIComponent(value.toWellFormed()))
  // Browsers and fetch read a backslash as a slash, and leave out tabs and line breaks.
  if (/[\\\s]/.test(url) || !URL.canParse(url)) throw badRequest('With these values it is no address.')
  // Even written as %2e, two dots lead out of the folder that the template names.
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(url.slice(host.length).split('?')[0] ?? '')) {
    throw badRequest('With these values a part of the path is nothing but dots, which would lead elsewhere.')
  }
  return new URL(url).href
}

/** One line of what headers may hold; further characters are written as %xx of their UTF-8. */
export function renderHeader(template: string, values: object): string {
  const line = renderWith(template, values, value => value).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return line.replace(/[^ -~]+/g, letters => encodeURIComponent(letters.toWellFormed())).trim()
}
