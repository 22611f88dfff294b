// What strangers wrote, made into one line of plain text before any service's own form is put on it.

/** Longer than anything that is shown; what comes behind it is not even looked at. */
const longestRead = 8_192

/** One line, without what cannot be seen. Joiners stay: whole scripts and emoji are written with them. */
export function cleaned(text: string): string {
  return text
    .slice(0, longestRead)
    .toWellFormed()
    .replace(/[[\p{Cf}\p{Co}\p{Cn}\ufffd]--[\u200c\u200d]]/gv, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
}

const unseenSpace = '\u200b'

/**
 * Addresses, mentions, channels, emoji codes and places of templates fall apart and still look as they were written:
 * for places where a service makes links of plain text and cannot be told not to.
 */
export function broken(text: string): string {
  return text.replace(/[<@#:.~{$\u2024\u3002\uff03\uff0e\uff1a\uff20\uff61](?=\S)/gu, joint => joint + unseenSpace)
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * At most so many UTF-16 units, which no service counts as less than a character, and never half of what a reader sees
 * as one. `written` says how a code point is escaped, so that no escape is cut in two either.
 */
export function cut(text: string, most: number, written: (point: string) => string = point => point): string {
  const whole: string[] = []
  let length = 0
  for (const { segment } of characters.segment(text)) {
    const next = Array.from(segment, written).join('')
    if (length + next.length > most) {
      while (length > most - 1) length -= (whole.pop() ?? '').length
      return `${whole.join('')}…`
    }
    whole.push(next)
    length += next.length
  }
  return whole.join('')
}

/** The address of a page that may be linked to, in a form that ends no link of any markup early; or none. */
export function webLink(url: string | null | undefined): string | null {
  if (!url || url.length > longestLink || !URL.canParse(url)) return null
  const { protocol, origin, pathname, search, hash } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return null
  const rest = (pathname + search + hash).replace(
    /[()[\]{}|\\`*~'"<>^]/g,
    mark => `%${mark.charCodeAt(0).toString(16)}`,
  )
  const safe = origin + rest
  return safe.length > longestLink ? null : safe
}

/** What Slack and Discord take at the most is more than this. */
const longestLink = 2_000
