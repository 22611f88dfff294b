// What can be read at a place of a definition: the trigger, what earlier steps gave, and in a forEach its item.
import { checkTemplate } from '../../../kit/template.ts'
import type { Faults } from './faults.ts'
import { fits, namesBelow, partOf, type Schema, typeNameOf, typesOf, unknown, wordsFor } from './json_types.ts'
import { didYouMean, nearest } from './near.ts'

/** What a step is called → what it gives, and where it stands. */
export type Given = { output: Schema; place: string }

export type Visible = {
  /** All that a path can begin with, but `steps`. */
  roots: Readonly<Record<string, Schema>>
  steps: ReadonlyMap<string, Given>
  /** Every step of the definition, wherever it stands: to say why one cannot be read here. */
  everyStep: ReadonlySet<string>
}

export type Found = { schema: Schema } | { expected: string }

const insideOnly = ['item', 'index']

/** As `kit/template.ts` reads them; what it would not take was refused before. */
const placeholders = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}/g

function rootNames({ roots }: Visible): string[] {
  return [...Object.keys(roots), 'steps']
}

export function find(visible: Visible, path: readonly string[]): Found {
  const [root = '', ...rest] = path
  if (root === 'steps') return findStep(visible, rest)
  const schema = Object.hasOwn(visible.roots, root) ? visible.roots[root] : undefined
  if (schema) return below(schema, root, rest)
  if (insideOnly.includes(root)) return { expected: `something else: ${root} can be read inside a forEach only` }
  const names = rootNames(visible)
  return { expected: `a path that begins with ${names.join(', ')}${didYouMean(root, names)}` }
}

function findStep({ steps, everyStep }: Visible, [id, ...rest]: readonly string[]): Found {
  if (id === undefined) return { schema: unknown }
  const step = steps.get(id)
  if (step) return below(outcomeOf(step.output), `steps.${id}`, rest)
  if (everyStep.has(id)) {
    return { expected: `what an earlier step gave: ${id} comes later, or stands inside another step` }
  }
  const near = didYouMean(id, steps.keys())
  const known = steps.size > 0 ? `one of ${[...steps.keys()].slice(0, 20).join(', ')}` : 'there is none with an id here'
  return { expected: `what an earlier step gave: no step is called ${id}${near === '' ? ` (${known})` : near}` }
}

const statuses: Schema = { type: 'string', enum: ['succeeded', 'failed', 'skipped'] }

/** What can be read of a step. */
export function outcomeOf(output: Schema): Schema {
  const properties = { output, status: statuses, error: { type: ['string', 'null'] } }
  return { type: 'object', properties, additionalProperties: false }
}

function below(schema: Schema, read: string, names: readonly string[]): Found {
  let here = schema
  let path = read
  for (const name of names) {
    const part = partOf(here, name)
    if (!part) return { expected: missing(here, path, name) }
    here = part
    path = `${path}.${name}`
  }
  return { schema: here }
}

function missing(schema: Schema, path: string, name: string): string {
  const known = namesBelow(schema)
  if (known.length === 0) return `a path that is there: ${path} is ${wordsFor(schema)} and has no ${name}`
  const near = nearest(name, known).map(one => `${path}.${one}`)
  if (near.length > 0) return `a path that is there: ${path} has no ${name}; did you mean ${near.join(' or ')}?`
  return `a path that is there: ${path} has no ${name}, but ${known.slice(0, 20).join(', ')}`
}

/** False where the text is none; else its faults are told. */
export function checkTemplateAt(visible: Visible, text: string, target: Schema, path: string, faults: Faults): boolean {
  if (!text.includes('{{')) return false
  const matches = [...text.matchAll(placeholders)]
  const problem = checkTemplate(
    text,
    matches.map(([, name = '']) => name.split('.')[0] ?? ''),
  )
  if (problem) {
    faults.add(path, 'template', `a template: ${problem.message} (line ${problem.line}, column ${problem.column})`)
    return true
  }
  let whole: { schema: Schema; read: string } | undefined
  for (const { 0: all, 1: read = '', index } of matches) {
    const found = find(visible, read.split('.'))
    if ('expected' in found) faults.add(path, 'path', `${found.expected} (at character ${index + 1})`)
    else if (all === text) whole = { schema: found.schema, read }
  }
  const isWhole = matches.length === 1 && matches[0]?.[0] === text
  if (whole && !fits(whole.schema, target)) {
    faults.add(path, 'type', `${wordsFor(target)}; ${whole.read} is ${wordsFor(whole.schema)}`)
  } else if (!isWhole && typesOf(target)?.has('string') === false) {
    faults.add(path, 'type', `${wordsFor(target)}; with other characters around it a template is text`)
  }
  return true
}

/** What a template that is a whole value stands for; unknown where it is no such thing. */
export function schemaOfTemplate(visible: Visible, text: string): Schema {
  const [match] = [...text.matchAll(placeholders)]
  if (match?.[0] !== text) return unknown
  const found = find(visible, (match[1] ?? '').split('.'))
  return 'schema' in found ? found.schema : unknown
}

const deepest = 4
const most = 500

export type ReadablePath = { path: string; type: string; from: string | null }

/** For completion: what is near the root first. Below a step, `steps.<id>.output` counts as one name. */
export function readablePaths({ roots, steps }: Visible): ReadablePath[] {
  let level = [
    ...Object.entries(roots).map(([path, schema]) => ({ path, schema, from: null as string | null })),
    ...[...steps].map(([id, { output, place }]) => ({ path: `steps.${id}.output`, schema: output, from: place })),
  ]
  const all: ReadablePath[] = []
  for (let depth = 1; depth <= deepest && all.length < most; depth++) {
    all.push(...level.map(({ path, schema, from }) => ({ path, type: typeNameOf(schema), from })))
    level = level.flatMap(({ path, schema, from }) =>
      namesBelow(schema).map(name => ({ path: `${path}.${name}`, schema: partOf(schema, name) ?? unknown, from })),
    )
  }
  return all.slice(0, most)
}
