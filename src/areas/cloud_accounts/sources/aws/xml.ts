// Reads the XML that AWS answers with: elements and text, nothing that could name a file, an entity or another document.

/** An element without elements in it is its text. Elements of one name beside each other are a list. */
export type XmlValue = string | XmlValue[] | { [name: string]: XmlValue }

export type XmlDocument = { root: string; value: XmlValue }

export class MalformedXml extends Error {}

const deepest = 32
const mostElements = 500_000

type Open = { name: string; text: string; fields: { [name: string]: XmlValue } | null }

/** Walks once, without calling itself, however the text is nested. */
export function readXml(text: string): XmlDocument {
  const open: Open[] = []
  let document: XmlDocument | null = null
  let elements = 0
  let from = 0
  const close = () => {
    const done = open.pop()
    if (!done) throw new MalformedXml('an element ends that never began')
    const value = done.fields ?? done.text
    const parent = open.at(-1)
    if (parent) put(parent, done.name, value)
    else document = { root: done.name, value }
  }
  for (;;) {
    const start = text.indexOf('<', from)
    take(open.at(-1), text.slice(from, start < 0 ? undefined : start))
    if (start < 0) break
    const end = endOfTag(text, start)
    from = end + 1
    const tag = text.slice(start + 1, end)
    if (isPassedOver(tag, start)) continue
    if (tag.startsWith('/')) {
      if (nameIn(tag.slice(1)) !== open.at(-1)?.name) throw new MalformedXml('elements overlap')
      close()
      continue
    }
    if (document || ++elements > mostElements || open.length >= deepest) throw new MalformedXml('too much, or too deep')
    open.push({ name: nameIn(tag), text: '', fields: null })
    if (tag.endsWith('/')) close()
  }
  if (!document || open.length > 0) throw new MalformedXml('it ends too early')
  return document
}

/** The declaration at the very beginning, and comments. Everything else that begins so is refused. */
function isPassedOver(tag: string, start: number): boolean {
  if (tag.startsWith('!--')) return true
  if (tag.startsWith('?xml ') && start === 0) return true
  if (/^[!?]/.test(tag)) throw new MalformedXml('there is more in it than elements and text')
  return false
}

function endOfTag(text: string, start: number): number {
  if (text.startsWith('<!--', start)) {
    const end = text.indexOf('-->', start + 4)
    if (end < 0) throw new MalformedXml('a comment does not end')
    return end + 2
  }
  const next = text.indexOf('>', start)
  if (next < 0) throw new MalformedXml('a tag does not end')
  if (!/["'<]/.test(text.slice(start + 1, next))) return next
  // An attribute may have the sign in it.
  let quote = ''
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]
    if (quote) quote = char === quote ? '' : quote
    else if (char === '"' || char === "'") quote = char
    else if (char === '>') return at
    else if (char === '<') break
  }
  throw new MalformedXml('a tag does not end')
}

/** Without its prefix; attributes say nothing that is needed here. */
function nameIn(tag: string): string {
  const name = /^(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)(?=[\s/]|$)/.exec(tag)?.[1]
  if (name === undefined || name === '__proto__') throw new MalformedXml('a name is none')
  return name
}

function put(parent: Open, name: string, value: XmlValue): void {
  parent.fields ??= Object.create(null) as { [name: string]: XmlValue }
  const before = parent.fields[name]
  if (before === undefined) parent.fields[name] = value
  else if (Array.isArray(before)) before.push(value)
  else parent.fields[name] = [before, value]
}

function take(open: Open | undefined, raw: string): void {
  if (open) open.text += raw.includes('&') ? resolved(raw) : raw
  else if (raw.trim() !== '') throw new MalformedXml('there is text outside of the elements')
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const longestEntity = 10

/** One after the other: `replace` would look for all of them before the first is refused. */
function resolved(raw: string): string {
  let text = ''
  let from = 0
  for (let at = raw.indexOf('&'); at >= 0; at = raw.indexOf('&', from)) {
    const end = raw.slice(at, at + longestEntity).indexOf(';')
    if (end < 0) throw new MalformedXml('an entity does not end')
    text += raw.slice(from, at) + character(raw.slice(at + 1, at + end))
    from = at + end + 1
  }
  return text + raw.slice(from)
}

function character(entity: string): string {
  const named = Object.hasOwn(entities, entity) ? entities[entity] : undefined
  if (named !== undefined) return named
  const [, decimal, hex] = /^#(?:(\d+)|x([\da-fA-F]+))$/.exec(entity) ?? []
  const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16)
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  if (!isCharacter) throw new MalformedXml('an entity is unknown')
  return String.fromCodePoint(code)
}
