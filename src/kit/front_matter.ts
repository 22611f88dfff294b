// Text that begins with YAML between two lines `---`: read with the line of everything, and changed without touching the rest.
import type { Document } from 'yaml'

export type FrontMatter = {
  /** What stands before it: a byte order mark, or nothing. */
  mark: string
  yaml: string
  /** All that comes after the second `---`, as it is. */
  body: string
  bodyLine: number
}

const opening = /^(\ufeff?)---[ \t]*\r?\n/
const closing = /^---[ \t]*(?:\r?\n|$)/m

/** Null where the text has none. */
export function splitFrontMatter(text: string): FrontMatter | null {
  const begin = opening.exec(text)
  if (!begin) return null
  const start = begin[0].length
  const end = closing.exec(text.slice(start))
  if (!end) return null
  const yaml = text.slice(start, start + end.index)
  const body = text.slice(start + end.index + end[0].length)
  return { mark: begin[1] ?? '', yaml, body, bodyLine: yaml.split('\n').length + 2 }
}

/** Every plain value is text, as the format of skills has it. `isUnclear`: other readers would take it for no text. */
export type YamlValue = { line: number; text: string; isUnclear: boolean }
export type YamlField = { line: number; value: YamlValue | ReadonlyMap<string, YamlValue | null> | null }
export type ReadYaml = { fields: ReadonlyMap<string, YamlField>; errors: { line: number; message: string }[] }

/** The first line of the YAML is the second of the file. */
const firstLine = 2

/** Null stands for a value of a form that is not taken here: a list, or a map in a map. */
export async function readYaml(text: string): Promise<ReadYaml> {
  const { parseDocument, LineCounter, isMap, isScalar, isAlias } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: lines, prettyErrors: false, merge: false })
  const lineAt = (offset: number) => lines.linePos(offset).line + firstLine - 1
  const faults = [...document.errors, ...document.warnings]
  const errors = faults.map(({ message, pos }) => ({ line: lineAt(pos[0]), message }))
  const fields = new Map<string, YamlField>()
  const { contents } = document
  if (errors.length > 0 || contents === null) return { fields, errors }
  if (!isMap(contents)) return { fields, errors: [{ line: firstLine, message: 'It must be a list of `name: value`' }] }

  const textIn = (node: unknown, line: number): YamlValue | null => {
    if (node === null) return { line, text: '', isUnclear: false }
    // What stands elsewhere under a name is not followed: it can grow without end.
    if (isAlias(node) || !isScalar(node)) return null
    const text = String(node.value ?? '')
    const at = node.range ? lineAt(node.range[0]) : line
    return { line: at, text, isUnclear: node.type === 'PLAIN' && isNoText(text) }
  }
  const lineOf = (node: unknown) => (isScalar(node) && node.range ? lineAt(node.range[0]) : firstLine)

  for (const { key, value } of contents.items) {
    const line = lineOf(key)
    const name = isScalar(key) ? String(key.value) : ''
    const inner = isMap(value)
      ? new Map(value.items.map(item => [keyText(item.key), textIn(item.value, lineOf(item.key))]))
      : textIn(value, line)
    fields.set(name, { line, value: inner })
  }
  return { fields, errors }

  function keyText(key: unknown): string {
    return isScalar(key) ? String(key.value) : ''
  }
}

/** A number, a truth value, nothing or a date to most readers of YAML. */
function isNoText(text: string): boolean {
  return /^(?:[-+]?(?:\d[\d_]*)?\.?\d+(?:e[-+]?\d+)?|0[xo][\da-f]+|true|false|yes|no|on|off|null|~|\d{4}-\d\d-\d\d.*)$/i.test(
    text,
  )
}

export type YamlChanges = Readonly<Record<string, string | Readonly<Record<string, string>> | null>>

/** With these fields set, or gone where they are null; everything else stays as it is written, comments too. */
export async function changeYaml(text: string, changes: YamlChanges): Promise<string> {
  const { parseDocument } = await import('yaml')
  const document: Document = parseDocument(text)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) document.delete(name)
    else document.set(name, document.createNode(value))
  }
  return document.toString({ lineWidth: 0 })
}
