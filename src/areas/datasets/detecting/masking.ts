// A message → its template: what differs from one time to the next is masked. Every pattern takes linear time.

const longestMessage = 4_096

/** A text without `needs` is not looked at: most have few of these. */
type Mask = { readonly needs: string | null; readonly pattern: RegExp; readonly by: string }

const mask = (needs: string | null, pattern: RegExp, by: string): Mask => ({ needs, pattern, by })

/** In this order: what is longer and says more comes first. */
const masks: readonly Mask[] = [
  // What follows a question mark is about one request.
  mask('://', /(\bhttps?:\/\/[^\s?#"'<>)]+)[?#][^\s"'<>)]*/gi, '$1'),
  mask('@', /(?<![\w.+-])[\w.+-]{1,64}@[a-z\d][\w.-]*/gi, '<email>'),
  mask("'", /(?<!\w)'[^'\n]*'(?!\w)/g, '<text>'),
  mask('`', /`[^`\n]*`/g, '<text>'),
  mask('“', /“[^”\n]*”/g, '<text>'),
  mask('„', /„[^“”\n]*[“”]/g, '<text>'),
  mask('«', /«[^»\n]*»/g, '<text>'),
]

/** Where there is a digit. */
const numbers: readonly Mask[] = [
  mask('-', /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?/gi, '<time>'),
  mask(null, /\b(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d(?:[.,]\d+)?)\b/g, '<time>'),
  mask('-', /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '<id>'),
  mask('.', /\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d{1,5})?\b/g, '<ip>'),
  mask(
    ':',
    /(?<![\w:])\[?(?=[\da-f:]*::|(?:[\da-f]{1,4}:){5})[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}\]?(?::\d{1,5})?(?![\w:])/gi,
    '<ip>',
  ),
  mask('0x', /\b0x[\da-f]+\b/gi, '<id>'),
  mask(null, /\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,}\b/gi, '<id>'),
  // Letters and at least four digits: `usr_8f3k2m9q1x7z`, `a9Xk21bQz8Lm4`.
  mask(null, /(?<![\w-])(?=(?:[a-z_-]*\d){4})(?=[\d_-]*[a-z])[\w-]{12,}(?![\w-])/gi, '<id>'),
  mask(null, /\d+(?:[.,]\d+)*\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|min|mins|minutes?|h|hours?)\b/gi, '<duration>'),
  mask(null, /\d+(?:[.,]\d+)*/g, '<number>'),
]

const repeated = /(<[a-z]+>)(?:[,;|]? ?\1)+/g

const quoted = /"(?:[^"\\\n]|\\.)*"(\s*:)?/g

/** Of one line. The same message with other numbers, ids, addresses and quoted texts has the same template. */
export function templateOf(message: string): string {
  const text = clean(message, longestMessage)
  // Names of fields in JSON are no values.
  const isJson = /^[{[]/.test(text)
  const isText = (whole: string, colon = '') => (isJson && colon ? whole : `<text>${colon}`)
  const plain = text.includes('"') ? text.replace(quoted, isText) : text
  const told = masked(plain, masks)
  const template = /\d/.test(told) ? masked(told, numbers) : told
  return template.includes('<') ? template.replace(repeated, '$1') : template
}

function masked(text: string, by: readonly Mask[]): string {
  return by.reduce(
    (one, { needs, pattern, by }) => (needs === null || one.includes(needs) ? one.replace(pattern, by) : one),
    text,
  )
}

/** On one line, and nothing that a database or a page could stumble over. */
export function clean(text: string, most: number): string {
  const line = text.slice(0, most).replace(/[\u0000-\u0020\u007f\u2028\u2029]+/g, ' ')
  return line.trim().toWellFormed()
}

/** Of several lines: neither NUL nor half a character. */
export function cleanLines(text: string, most: number): string {
  return text.slice(0, most).replaceAll('\0', '').replaceAll('\r\n', '\n').trimEnd().toWellFormed()
}
