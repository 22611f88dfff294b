// Text that begins with YAML between two lines `---`: read with the line of everything, and changed without touching the rest.
import type { Document, YAMLMap } from 'yaml'

export type FrontMatter = {
  /** What stands before it: a byte order mark, or nothing. */
  mark: string
  yaml: string
  /** All that comes after the second `---`, as it is. */
  body: string
  bodyLine: number
  /** As the first line ends. */
  lineEnd: string
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
  const lineEnd = begin[0].endsWith('\r\n') ? '\r\n' : '\n'
  return { mark: begin[1] ?? '', yaml, body, bodyLine: yaml.split('\n').length + 2, lineEnd }
}

/** Every plain value is text, as the format of skills has it. `isUnclear`: other readers would take it for no text. */
export type YamlValue = { line: number; text: string; isUnclear: boolean }
export type YamlField = { line: number; value: YamlValue | ReadonlyMap<string, YamlValue | null> | null }
export type ReadYaml = { fields: ReadonlyMap<string, YamlField>; errors: { line: number; message: string }[] }

/** The first line of the YAML is the second of the file. */
const firstLine = 2

const mostKiB = 16

/** Values stay as they are written. The package compares every name with every other, which takes too long: it is done here. */
const asWritten = { schema: 'failsafe', uniqueKeys: false, merge: false, prettyErrors: false } as const

/** Null stands for a value of a form that is not taken here: a list, or a map in a map. */
export async function readYaml(text: string): Promise<ReadYaml> {
  if (Buffer.byteLength(text) > mostKiB * 1024) {
    const message = `The front matter has more than ${mostKiB} KiB; move text to the body below it, or to files`
    return { fields: new Map(), errors: [{ line: firstLine, message }] }
  }
  const { parseDocument, LineCounter, isMap, isScalar, isAlias } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { ...asWritten, lineCounter: lines })
  const lineAt = (offset: number) => lines.linePos(offset).line + firstLine - 1
  const faults = [...document.errors, ...document.warnings]
  const errors = faults.map(({ code, message, pos }) => ({
    line: lineAt(pos[0]),
    message: code === 'RESOURCE_EXHAUSTION' ? 'It is nested too deeply; make it flatter' : message,
  }))
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
  const entriesOf = (map: YAMLMap): [string, number, unknown][] => {
    const known = new Set<string>()
    return map.items.map(({ key, value }) => {
      const [name, line] = [isScalar(key) ? String(key.value) : '', lineOf(key)]
      if (known.has(name)) errors.push({ line, message: `"${name.slice(0, 64)}" stands here twice; take one out` })
      known.add(name)
      return [name, line, value]
    })
  }

  for (const [name, line, value] of entriesOf(contents)) {
    const inner = isMap(value)
      ? new Map(entriesOf(value).map(([key, at, one]) => [key, textIn(one, at)]))
      : textIn(value, line)
    fields.set(name, { line, value: inner })
  }
  return { fields, errors: errors.sort((one, other) => one.line - other.line) }
}

/** A number, a truth value, nothing or a date to most readers of YAML. */
function isNoText(text: string): boolean {
  return text.length <= longestNoText && (number.test(text) || word.test(text))
}

const longestNoText = 64
const number = /^(?:[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?|0[xo][\da-f]+|[-+]?\.inf|\.nan)$/i
const word = /^(?:true|false|yes|no|on|off|null|~|\d{4}-\d\d-\d\d.*)$/i

export type YamlChanges = Readonly<Record<string, string | Readonly<Record<string, string>> | null>>

/** With these fields set, or gone where they are null; everything else stays as it is written, comments too. */
export async function changeYaml(text: string, changes: YamlChanges): Promise<string> {
  const { parseDocument, visit } = await import('yaml')
  const document: Document = parseDocument(text, asWritten)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) {
      document.delete(name)
      continue
    }
    const node = document.createNode(value)
    visit(node, {
      Scalar: (_, scalar) => {
        if (isNoText(String(scalar.value))) scalar.type = 'QUOTE_DOUBLE'
      },
    })
    document.set(name, node)
  }
  return document.toString({ lineWidth: 0 })
}
