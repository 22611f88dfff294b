// Templates: `{{ event.target.title }}` is replaced by a value, and nothing else happens.
import { ApiError } from '../contract/errors.ts'

/** What is wrong with a template, and where: `offset` counts from 0, `line` and `column` from 1. */
export type TemplateProblem = { message: string; offset: number; line: number; column: number }

/** What a body, an address or a header can be, in UTF-16 units: one value can stand in a template thousands of times. */
const mostRendered = 1_048_576

const opening = '{{'
/** A name, then further names or places in a list, with dots between them. */
const placeholder = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}/y

type Part = { text: string; offset: number } | { path: readonly string[]; offset: number }

/** Null where the text is a template that reads nothing but these roots. */
export function checkTemplate(text: string, roots: readonly string[]): TemplateProblem | null {
  const read = partsOf(text)
  if ('message' in read) return read
  for (const part of read.parts) {
    if (!('path' in part) || roots.includes(part.path[0] ?? '')) continue
    const known = roots.join(', ')
    return problemAt(text, part.offset, `There is nothing called ${part.path[0]} here; a path begins with ${known}.`)
  }
  return null
}

/** As plain text; a value that is not there is empty, and a list or an object is JSON. */
export function render(template: string, values: object): string {
  return renderWith(template, values, value => value)
}

/** The same with each value escaped for where it stands. What no check would have passed is left as it was written. */
export function renderWith(template: string, values: object, escaped: (value: string) => string): string {
  const read = partsOf(template)
  if ('message' in read) return template
  let length = 0
  const texts = read.parts.map(part => {
    const text = 'path' in part ? escaped(textOf(valueAt(values, part.path))) : part.text
    length += text.length
    if (length > mostRendered) throw tooLarge()
    return text
  })
  return texts.join('')
}

/**
 * A JSON body: its strings are rendered, its names are not. A string that is one placeholder and nothing else becomes
 * the value itself, null where there is none. What comes out is written by `JSON.stringify`, which escapes every value.
 */
export function renderJson(template: unknown, values: object): unknown {
  const room = { left: mostRendered }
  return rendered(template, values, room)
}

function rendered(template: unknown, values: object, room: { left: number }): unknown {
  if (Array.isArray(template)) return template.map(one => rendered(one, values, room))
  if (typeof template === 'object' && template !== null) {
    return Object.fromEntries(Object.entries(template).map(([name, one]) => [name, rendered(one, values, room)]))
  }
  if (typeof template !== 'string') return template
  const path = onlyPath(template)
  const value = path ? (valueAt(values, path) ?? null) : render(template, values)
  room.left -= typeof value === 'object' ? JSON.stringify(value).length : String(value).length
  if (room.left < 0) throw tooLarge()
  return value
}

/** The path of a text that is one placeholder and nothing else. */
function onlyPath(template: string): readonly string[] | undefined {
  const read = partsOf(template)
  if ('message' in read || read.parts.length !== 1) return undefined
  const [part] = read.parts
  return part && 'path' in part ? part.path : undefined
}

/** Own fields only: a template reads what it is given, and nothing that every object has. */
function valueAt(values: object, path: readonly string[]): unknown {
  let here: unknown = values
  for (const name of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, name)) return undefined
    here = (here as Record<string, unknown>)[name]
  }
  return here
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The text cut at its placeholders, or what is wrong with it: an opening that no valid placeholder follows. */
function partsOf(text: string): { parts: readonly Part[] } | TemplateProblem {
  const parts: Part[] = []
  let from = 0
  for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, from)) {
    placeholder.lastIndex = at
    const found = placeholder.exec(text)
    if (!found) return problemAt(text, at, messageFor(text, at))
    if (at > from) parts.push({ text: text.slice(from, at), offset: from })
    parts.push({ path: (found[1] ?? '').split('.'), offset: at })
    from = placeholder.lastIndex
  }
  if (from < text.length) parts.push({ text: text.slice(from), offset: from })
  return { parts }
}

function messageFor(text: string, at: number): string {
  const isClosed = text.indexOf('}}', at) !== -1
  return isClosed
    ? 'Between {{ and }} stands a path such as event.target.title: names with dots between them, and nothing else.'
    : 'This {{ has no }} after it.'
}

export function problemAt(text: string, offset: number, message: string): TemplateProblem {
  const before = text.slice(0, offset).split('\n')
  return { message, offset, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function tooLarge(): ApiError {
  return new ApiError(
    'payload_too_large',
    'With these values it would have more than 1 MiB; name them less often in the template.',
  )
}
