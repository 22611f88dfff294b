// Reads YAML of strangers within bounds: parts, documents, depth, aliases. None of it keeps others waiting long.
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type YAMLMap,
} from 'yaml'

/**
 * Names are not compared with each other, which takes the package too long; the last of two equal ones counts. Neither a
 * directive nor a tag makes a merge key, a date or a set of something: values are plain.
 */
const options = {
  uniqueKeys: false,
  merge: false,
  schema: 'core',
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const

/** Names, values, signs, line ends. They, not bytes, are what takes time: so many are read within about 100 ms. */
const mostParts = 20_000
/** With aliases and merge keys written out; a compose file may well use one anchor for all its parts. */
const mostValues = 50_000
const mostDocuments = 2_000
/** Of brackets; the package finds out too, by running out of stack, which takes seconds. */
const deepest = 1_000
const deepestInLine = 20

export type Read = { values: unknown[]; fault: Fault | undefined }
export type Fault = { code: 'malformed' | 'too_large'; text: string }

/** The documents between lines `---`, which YAML allows nowhere else at the beginning of a line. */
export function documentsOf(text: string): { documents: string[]; isCut: boolean } {
  const documents = text.replace(/^\ufeff/, '').split(/^---(?=\s|$)/m, mostDocuments + 1)
  return { documents: documents.slice(0, mostDocuments), isCut: documents.length > mostDocuments }
}

/** All that is in the text, or why nothing is. Messages of the package quote the text, so they are not passed on. */
export function readYaml(text: string): Read {
  try {
    return { values: composed(text).map(plainOf), fault: undefined }
  } catch (error) {
    if (error instanceof Refused) return none(error.code, error.message)
    if (error instanceof Malformed) {
      return none('malformed', `It is no valid YAML: ${error.code} in line ${lineAt(text, error.offset)}.`)
    }
    // Too deep for the stack.
    return none('malformed', tooDeep)
  }
}

const tooDeep = 'It is nested too deeply; make it flatter.'

class Malformed extends Error {
  readonly code: string
  readonly offset: number

  constructor(code: string, offset: number) {
    super(code)
    this.name = 'Malformed'
    this.code = code
    this.offset = offset
  }
}

class Refused extends Error {
  readonly code: Fault['code']

  constructor(code: Fault['code'], text: string) {
    super(text)
    this.name = 'Refused'
    this.code = code
  }
}

type Source = number | readonly [number, number] | { offset: number }
type Hearing = { onError(source: Source, code: string, message: string, isWarning?: boolean): void }

/** Stops at the first error: the package goes on, and takes seconds for a text that is nothing but errors. */
function composed(text: string): Document[] {
  const composer = new Composer(options)
  const hearing = composer as unknown as Hearing
  let first: Error | undefined
  hearing.onError = (source, code, _message, isWarning = false) => {
    if (isWarning) return
    // The package catches what is thrown here, and tells of it as of a stack that is too deep.
    first ??= code === 'RESOURCE_EXHAUSTION' ? new Refused('malformed', tooDeep) : new Malformed(code, offsetOf(source))
    throw first
  }
  const documents: Document[] = []
  for (const token of tokensOf(text)) {
    if (token.type === 'error') throw new Malformed('UNEXPECTED_TOKEN', token.offset)
    documents.push(...composer.next(token))
  }
  return [...documents, ...composer.end()]
}

function* tokensOf(text: string): Generator<CST.Token> {
  const parser = new Parser()
  const counted = counting()
  for (const part of new Lexer().lex(text)) {
    counted(part)
    yield* parser.next(part)
  }
  yield* parser.end()
}

/** Throws at the part with which there are too many: what comes after it costs nothing. */
function counting(): (part: string) => void {
  const counts = { parts: 0, depth: 0, inLine: 0 }
  return part => {
    if (++counts.parts > mostParts) throw new Refused('too_large', `It has more than ${mostParts} parts; split it.`)
    if (part === '\n' || part === '\r\n') counts.inLine = 0
    else if (part === '-' || part === '?') counts.inLine++
    else if (part === '[' || part === '{') counts.depth++
    else if (part === ']' || part === '}') counts.depth--
    if (counts.depth > deepest || counts.inLine > deepestInLine) throw new Refused('malformed', tooDeep)
  }
}

function offsetOf(source: Source): number {
  if (typeof source === 'number') return source
  return 'offset' in source ? source.offset : source[0]
}

type Fields = Record<string, unknown>
type Known = { value: unknown; size: number }

const mergeKey = '<<'

/**
 * As plain values. The package does it too, and takes hours for names that are maps of maps. Values that stand in several
 * places are one value, and count in each: whoever walks over them meets them as often.
 */
function plainOf({ contents }: Document): unknown {
  const anchors = new Map<string, Known>()
  let size = 0
  const grow = (by: number) => {
    size += by
    if (size > mostValues) throw new Refused('too_large', 'Its aliases grow too large; write them out.')
  }
  const plain = (node: unknown): unknown => {
    if (isAlias(node)) {
      const known = anchors.get(node.source)
      if (!known) throw new Refused('malformed', 'One of its aliases leads nowhere, or into itself; write it out.')
      grow(known.size)
      return known.value
    }
    const before = size
    grow(1)
    const value = isScalar(node) ? node.value : isSeq(node) ? node.items.map(plain) : isMap(node) ? fields(node) : null
    if ((isScalar(node) || isCollection(node)) && node.anchor) {
      anchors.set(node.anchor, { value, size: size - before })
    }
    return value
  }
  /** A name that is no text is only ever looked at for being one. */
  const name = (key: unknown): string => {
    if (isMap(key)) return '{}'
    if (isSeq(key)) return '[]'
    const value = plain(key)
    return typeof value === 'object' ? '' : String(value)
  }
  const fields = (node: YAMLMap): Fields => {
    const made: Fields = {}
    const merged: unknown[] = []
    for (const { key, value } of node.items) {
      const called = name(key)
      if (called === mergeKey) merged.push(plain(value))
      else put(made, called, plain(value))
    }
    // What the map has itself counts, then what comes first.
    for (const from of merged.flat()) for (const [called, value] of entriesOf(from)) putOnce(made, called, value)
    return made
  }
  return plain(contents)
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}

function putOnce(into: Fields, name: string, value: unknown): void {
  if (!Object.hasOwn(into, name)) put(into, name, value)
}

/** A name such as `__proto__` is one like any other. */
function put(into: Fields, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(into, name, { value, writable: true, enumerable: true, configurable: true })
  else into[name] = value
}

function none(code: Fault['code'], text: string): Read {
  return { values: [], fault: { code, text } }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
